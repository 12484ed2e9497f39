package io.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A held lock as an object. It belongs to whoever has the reference, not to a thread: it may be
 * passed on, and closed anywhere.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *   lease.onLost(loss -> job.cancel());
 *   store.write(data, lease.token());
 * }
 * }</pre>
 */
public interface Lease extends AutoCloseable {
  /** The lock. */
  String key();

  /** The fencing token of this hold: larger than that of every earlier hold of the same key. */
  long token();

  /**
   * True as long as nobody else can have been given the lock. Costs a clock reading, no round trip,
   * and turns false by itself at the local deadline, which is before the lease ends in the store.
   */
  boolean isValid();

  /**
   * True if the store could not be reached and this counts in this process alone; see {@link
   * Fallback}. Its token says nothing about holders in other processes.
   */
  boolean isDegraded();

  /** How long {@link #isValid()} stays true if nothing is heard from the store; zero if lost. */
  Duration remaining();

  /**
   * Calls back once if the lease is lost before it is closed, at once if it is lost already. The
   * callback runs on a thread of its own, before the store can give the lock to another, provided
   * this process runs at all.
   *
   * @return this
   */
  Lease onLost(Consumer<? super LockLoss> callback);

  /**
   * Calls back when the lock had vanished from the store and was taken back before anybody else had
   * it, which happens only where {@link RecoveryStrategy.Action#REACQUIRE} is allowed.
   *
   * @return this
   */
  Lease onResumed(Consumer<? super Finding> callback);

  /**
   * Gives the lock back and waits until the store has confirmed it. A store that does not answer is
   * asked again in the background. Closing a second time does nothing.
   *
   * @throws LockLostException when the lease was lost before it was closed
   */
  @Override
  void close();

  /** Like {@link #close()} without waiting; a loss is reported through the future. */
  CompletableFuture<Void> closeAsync();
}
