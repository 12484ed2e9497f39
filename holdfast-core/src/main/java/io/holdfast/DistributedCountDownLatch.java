package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.local.shared.Latch;
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
 *
 * <p>Nobody holds a latch. So there is no {@link Lease} to keep or to lose, no fencing token, since
 * nothing is done in its name, and nothing for the watchdog to renew or to take back. Whoever waits
 * is seen like those who wait for a lock: in {@link #info()}, by the watchdog ({@link
 * LockConfig#waitAlert()}), in {@link LockHealth#waiting()}, in metrics and events.
 */
public final class DistributedCountDownLatch {
  /**
   * The largest count, 2<sup>53</sup>: the largest that every store counts exactly. (Scripts of
   * Redis calculate with floating point numbers.)
   */
  public static final long MAX_COUNT = 1L << 53;

  private final Latch latch;

  DistributedCountDownLatch(Latch latch) {
    this.latch = latch;
  }

  /**
   * Closes the latch with a count, if it is open.
   *
   * @return false, and nothing changed, if it has a count already
   * @throws IllegalArgumentException when the count is less than 1 or more than {@link #MAX_COUNT}
   */
  public boolean trySetCount(long count) {
    return latch.trySet(requireCount(count));
  }

  /** Like {@link #trySetCount}, without blocking. */
  public CompletableFuture<Boolean> trySetCountAsync(long count) {
    return latch.trySetAsync(requireCount(count));
  }

  private static long requireCount(long count) {
    if (count < 1) {
      throw new IllegalArgumentException("a latch is set to at least 1, not " + count);
    }
    if (count > MAX_COUNT) {
      throw new IllegalArgumentException(
          "a latch is set to at most %d (2^53), not %d".formatted(MAX_COUNT, count));
    }
    return count;
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
    return latch.countDown();
  }

  /**
   * Like {@link #countDown}, without blocking: completes with what is left, or with the exception.
   * To cancel it does not take the count back.
   */
  public CompletableFuture<Long> countDownAsync() {
    return latch.countDownAsync();
  }

  /** The count, zero if it is open. */
  public long getCount() {
    return latch.count();
  }

  /** The count and who waits for zero: application, host, process, thread, since when. */
  public LatchInfo info() {
    return latch.info();
  }

  /**
   * Opens the latch whatever its count, in one step, and lets everyone through who waits, in all
   * processes. For operators: say when one of those who should count has died. It is logged,
   * audited and told as {@link LockEvent.Kind#FORCED}.
   *
   * <p>It may be set again at once, as after the last count; whoever waited before passes all the
   * same. But those who have not counted yet do not know: while the latch is open their {@code
   * countDown()} is an {@link IllegalStateException}, and when it was set again it counts for the
   * new round. Stop them first, or go on with another key.
   *
   * @return true if it was closed
   */
  public boolean forceOpen() {
    return latch.forceOpen();
  }

  /**
   * Waits until it is open.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  public void await() throws InterruptedException {
    if (!latch.await(AcquireSpec.FOREVER)) {
      throw new LockTimeoutException(
          latch.resource().kind().label(),
          key(),
          "latch '%s' is closed with a count of %d; gave up as told by the retry policy"
              .formatted(key(), getCount()));
    }
  }

  /**
   * Waits until it is open, up to the time given.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  public boolean await(long time, TimeUnit unit) throws InterruptedException {
    return latch.await(requireNonNull(unit, "unit must not be null").toNanos(time));
  }

  /**
   * Waits until it is open, up to the time given.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  public boolean await(Duration time) throws InterruptedException {
    return latch.await(nanos(time));
  }

  /**
   * Completes with true when it is open, with false if the retry policy gave up; may be cancelled.
   */
  public CompletableFuture<Boolean> awaitAsync() {
    return latch.awaitAsync(AcquireSpec.FOREVER);
  }

  /** Completes with true when it is open, with false when the time is over. */
  public CompletableFuture<Boolean> awaitAsync(Duration time) {
    return latch.awaitAsync(nanos(time));
  }

  private static long nanos(Duration time) {
    return AcquireSpec.nanos(requireNonNull(time, "time must not be null"));
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
