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

  /**
   * The fencing token of this hold: larger than that of every earlier hold of the same key. One
   * exception: if the lock was deleted in the store and granted to another process, a hold that
   * follows another inside this process within a second of the deletion may have a smaller token
   * than that grant. It is lost within half a second if the store answers, else at its deadline.
   */
  long token();

  /**
   * True as long as nobody else can have been given the lock. Costs a clock reading and no round
   * trip. It turns false by itself at the local deadline, whatever the load of the machine; the
   * store can grant the lock to another {@link LockConfig#lossMargin(Duration)} later at the
   * earliest.
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
   * Calls back once if the lease is lost before it is closed, at once if it is lost already. A
   * lease that ends by time is called back on a thread of its own, sent at the local deadline,
   * {@link LockConfig#lossMargin(Duration)} before the store can grant the lock to another. On a
   * starved machine a callback can run late; code that must not run late asks {@link #isValid()},
   * or the resource checks the {@link #token()}.
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
