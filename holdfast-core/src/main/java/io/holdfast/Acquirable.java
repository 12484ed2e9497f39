package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What {@link DistributedLock} and {@link DistributedSemaphore} have in common: handles, code that
 * runs inside, and news of losses. Of a semaphore one permit is meant here; {@link
 * DistributedSemaphore#permits(int)} says how many.
 *
 * <pre>{@code
 * void nightly(Acquirable guard) throws InterruptedException {
 *   guard.waitUpTo(ofMinutes(1)).run(() -> cleanUp());
 * }
 * nightly(manager.getLock("clean-up"));
 * nightly(manager.getSemaphore("batch-jobs", 3));
 * }</pre>
 */
public sealed interface Acquirable permits DistributedLock, DistributedSemaphore {
  /** The key; of a multi-lock all its keys. */
  String key();

  /** The settings. */
  LockConfig config();

  /** Who holds it, since when, until when, and who waits. */
  LockInfo info();

  // ---- handles

  /** Waits for as long as it takes; renews while held. Not reentrant. */
  Lease acquire();

  /**
   * Waits until interrupted; renews while held.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  default Lease acquireInterruptibly() throws InterruptedException {
    return request().acquire();
  }

  /** Takes it if it is free now and nobody waits; renews while held. */
  Optional<Lease> tryAcquire();

  /**
   * Waits up to the time given; renews while held.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  default Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    return request().waitUpTo(wait).tryAcquire();
  }

  /**
   * Takes it without blocking; renews while held. Cancelling the future stops the wait, and gives
   * it back should it arrive at that moment.
   */
  default CompletableFuture<Lease> acquireAsync() {
    return request().acquireAsync();
  }

  // ---- in one sentence, with the times by their names

  /** A sentence in which nothing is said yet: waits as its last word says, renews while held. */
  LockRequest request();

  /** Waits for this time at most if it is busy: {@code lock.waitUpTo(ofSeconds(5)).run(...)}. */
  default LockRequest waitUpTo(Duration wait) {
    return request().waitUpTo(wait);
  }

  /** Does not wait if it is busy: {@code lock.noWait().run(...)}. */
  default LockRequest noWait() {
    return request().noWait();
  }

  /** Holds for this time at most, and ends by itself: {@code lock.leaseFor(...).acquire()}. */
  default LockRequest leaseFor(Duration lease) {
    return request().leaseFor(lease);
  }

  /** Runs code inside, and waits for as long as it takes; see {@link LockRequest#run}. */
  default <X extends Exception> void run(LockRequest.Action<X> action)
      throws X, InterruptedException {
    request().run(action);
  }

  /** Runs code with a result inside; see {@link LockRequest#call}. */
  default <T extends @Nullable Object, X extends Exception> T call(LockRequest.Body<T, X> body)
      throws X, InterruptedException {
    return request().call(body);
  }

  /** Runs code inside if it is free now; see {@link LockRequest#tryRun}. */
  default <X extends Exception> boolean tryRun(LockRequest.Action<X> action)
      throws X, InterruptedException {
    return request().tryRun(action);
  }

  /** Runs code inside without blocking; see {@link LockRequest#runAsync}. */
  default CompletableFuture<@Nullable Void> runAsync(Consumer<? super Lease> action) {
    return request().runAsync(action);
  }

  /** Runs code that goes on in the background; see {@link LockRequest#callAsync}. */
  default <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Function<? super Lease, ? extends CompletionStage<T>> body) {
    return request().callAsync(body);
  }

  // ---- news

  /**
   * Calls back each time this process loses it while holding it. When and how surely is said at
   * {@link Lease#onLost}.
   *
   * @return close it to stop listening
   */
  Subscription onLost(Consumer<? super LockLoss> listener);

  /**
   * Calls back each time it had vanished from the store while this process held it and was taken
   * back before anybody else had it; see {@link RecoveryStrategy.Action#REACQUIRE}.
   *
   * @return close it to stop listening
   */
  Subscription onResumed(Consumer<? super Finding> listener);

  /** Ends a subscription. */
  @FunctionalInterface
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
