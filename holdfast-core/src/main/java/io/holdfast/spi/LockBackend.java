package io.holdfast.spi;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A store of locks. Each method makes one attempt, does not block and does not retry; a time-out or
 * a broken connection is the result {@code Unknown} (where there is no such result, any other
 * exception), and only a fault that trying again cannot cure completes a stage with a {@link
 * BackendException}. Stages may complete on any thread; what core does there never blocks.
 *
 * <p>The store must check and act in one atomic step, must count leases with its own clock, and
 * must give every grant of a key a {@link TokenBlock} above all earlier ones of that key, whatever
 * happened to the key in between.
 */
public interface LockBackend extends AutoCloseable {
  /** The kind of store, as in {@code redis}: for messages, metrics and people. */
  String engine();

  /** Tries once to take the lock. */
  CompletionStage<AcquireResult> acquire(AcquireRequest request);

  /**
   * Tries once to take several locks in one atomic step, all or none. Nobody is remembered as a
   * waiter, and nobody who waits is overtaken. The default says that the store cannot do that, or
   * not for these.
   *
   * @return empty if it cannot; else the results, in the same order, when all are granted, or one
   *     that is {@code Busy} or {@code Unknown} and holds for all
   */
  default Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    return Optional.empty();
  }

  /** Gives up the lock if the owner holds it, and the owner's place in the queue if it has one. */
  CompletionStage<ReleaseResult> release(ReleaseRequest request);

  /**
   * Releases a lock and asks for the same lock on behalf of the next local waiter. A store may send
   * both requests in one packet, in any order, and send them soon, on another thread. The default
   * makes one request after the other, the acquire first: the local waiter may have arrived before
   * the waiters that the store knows.
   *
   * @param release the request of the holder that leaves
   * @param next the request of the waiter that follows; it has an owner of its own
   */
  default ReleaseAndAcquire releaseAndAcquire(ReleaseRequest release, AcquireRequest next) {
    CompletionStage<AcquireResult> acquired = acquire(next);
    return new ReleaseAndAcquire(release(release), acquired);
  }

  /**
   * The two answers to {@link #releaseAndAcquire}.
   *
   * @param released the answer to the release
   * @param acquired the answer to the acquire
   */
  record ReleaseAndAcquire(
      CompletionStage<ReleaseResult> released, CompletionStage<AcquireResult> acquired) {}

  /**
   * Starts the leases of several locks anew, in as few round trips as the store allows.
   *
   * @return one result per request, in the same order
   */
  CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch);

  /**
   * Looks which of several are still held by their owners, in as few round trips as the store
   * allows, and changes nothing. Asked twice per second about what is handed over inside a process
   * or lingers, so it should be cheap; it must not answer from what is remembered outside the
   * store.
   *
   * @return for each, in the same order, true if the owner holds it
   */
  CompletionStage<List<Boolean>> check(List<Holding> holdings);

  /** Asks the store for a sign of life: completes when it has answered. */
  CompletionStage<?> ping();

  /** Looks at a lock, or at the count of a latch and those who wait for its zero. */
  CompletionStage<LockSnapshot> inspect(Resource resource);

  /**
   * Takes the lock away from its holders. A latch is opened whatever its count, in one atomic step,
   * with all that {@link #countDown} does at zero.
   *
   * @param holders whom it is taken from; others keep what they have
   * @return true if one of those held it; of a latch, true if it was closed
   */
  CompletionStage<Boolean> forceRelease(Resource resource, Holders holders);

  /**
   * Changes how much there is of a semaphore, for everyone, from now on. What is held stays held. A
   * waiter that wants more than there is keeps waiting and is passed over until there is enough.
   *
   * @param declared the number that claims name as their limit
   * @param limit the number that counts from now on
   * @return true
   */
  CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit);

  /**
   * Sets the count of a latch that has none.
   *
   * @return false if it has one already
   */
  CompletionStage<Boolean> trySetCount(Resource resource, long count);

  /**
   * Counts a latch down. At zero everyone who waits is told by {@link BackendSignals#changed}, and
   * the latch is forgotten: a latch that is not there is open.
   *
   * @return what is left; -1, and nothing changed, if it was zero already
   */
  CompletionStage<Long> countDown(Resource resource);

  /** The count of a latch, zero if it has none. */
  CompletionStage<Long> count(Resource resource);

  /**
   * How many connections to the store are open now; it must not ask the store. The default is that
   * there are none, as for a store in memory or in files.
   */
  default int connections() {
    return 0;
  }

  /**
   * Called by a thread of the application that has nothing to do until a future is complete. A
   * backend may let it do input and output meanwhile, so that no other thread must be woken for it;
   * then the future is mostly complete when this returns. It may return at any time, and the
   * default does at once: who called waits on.
   *
   * @param awaited what the thread waits for
   * @param nanos how long it is ready to wait, {@link Long#MAX_VALUE} for as long as it takes; with
   *     zero only what has come already is dealt with
   * @throws InterruptedException if the thread is interrupted and the future is not complete
   */
  default void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {}

  /**
   * Closes connections; what is still held stays held until its lease ends. Core calls it once, on
   * a thread that nobody interrupts, and waits for it for a bounded time only.
   */
  @Override
  void close();
}
