package io.holdfast;

import io.holdfast.internal.Demand;
import io.holdfast.internal.Latch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A latch that many processes count down and wait for.
 *
 * <pre>{@code
 * DistributedCountDownLatch latch = manager.getCountDownLatch("migration");
 * latch.trySetCount(3);       // whoever comes first; false for the others
 * ...
 * latch.countDown();          // in three places
 * latch.await();              // anywhere, before or after
 * }</pre>
 *
 * <p>A latch that was never set, or has reached zero, is open: {@code await} returns at once. Once
 * it is open it may be set again; whoever waits for the zero of the old count has been let through
 * by then. The store forgets a latch that nobody has set or counted for 30 days, which opens it.
 */
public final class DistributedCountDownLatch {
  private final Latch latch;

  DistributedCountDownLatch(Latch latch) {
    this.latch = latch;
  }

  /**
   * Closes the latch with a count, if it is open.
   *
   * @return false, and nothing changed, if it has a count already
   */
  public boolean trySetCount(long count) {
    if (count < 1) {
      throw new IllegalArgumentException("a latch is set to at least 1, not " + count);
    }
    return latch.trySet(count);
  }

  /**
   * Counts down by one and opens the latch at zero.
   *
   * @return what is left
   * @throws StoreUnavailableException when there was no answer: whether it was counted is not
   *     known, and counting again may count twice
   * @throws IllegalStateException when the latch is open: there is nothing to count down
   */
  public long countDown() {
    long left = latch.countDown();
    if (left < 0) {
      throw new IllegalStateException(
          "latch '%s' is open: it cannot be counted below zero; set a count first"
              .formatted(key()));
    }
    return left;
  }

  /** The count, zero if it is open. */
  public long getCount() {
    return latch.count();
  }

  /** Waits until it is open. */
  public void await() throws InterruptedException {
    if (!latch.await(Demand.FOREVER)) {
      throw new LockTimeoutException(
          "latch '%s' is closed with a count of %d; gave up as told by the retry policy"
              .formatted(key(), getCount()));
    }
  }

  /** Waits until it is open, up to the time given. */
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    return latch.await(unit.toNanos(time));
  }

  /** Waits until it is open, up to the time given. */
  public boolean await(Duration time) throws InterruptedException {
    return latch.await(Demand.nanos(time));
  }

  /**
   * Completes with true when it is open, with false if the retry policy gave up; may be cancelled.
   */
  public CompletableFuture<Boolean> awaitAsync() {
    return latch.awaitAsync(Demand.FOREVER);
  }

  /** Completes with true when it is open, with false when the time is over. */
  public CompletableFuture<Boolean> awaitAsync(Duration time) {
    return latch.awaitAsync(Demand.nanos(time));
  }

  /** The key. */
  public String key() {
    return latch.resource().key();
  }

  @Override
  public String toString() {
    return "DistributedCountDownLatch[" + key() + "]";
  }
}
