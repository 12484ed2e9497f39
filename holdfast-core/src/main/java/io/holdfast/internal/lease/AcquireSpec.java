package io.holdfast.internal.lease;

import static java.util.Objects.requireNonNull;

import io.holdfast.LockConfig;
import io.holdfast.RetryPolicy;
import io.holdfast.internal.base.Awaits;
import io.holdfast.spi.Claim;
import java.time.Duration;

/**
 * What a caller asks of a lock.
 *
 * @param config the settings
 * @param claim how much of the resource
 * @param threadOwned true for {@code lock()}: owned by the thread and reentrant; false for a handle
 * @param lease the lease
 * @param renew true to renew it while held
 * @param waitNanos how long to wait: 0 not at all, {@link #FOREVER} without limit
 * @param interruptible true if an interrupt ends the wait
 */
public record AcquireSpec(
    LockConfig config,
    Claim claim,
    boolean threadOwned,
    Duration lease,
    boolean renew,
    long waitNanos,
    boolean interruptible) {

  /** Without limit. */
  public static final long FOREVER = Awaits.FOREVER;

  /** Shortens the wait to what the retry policy allows. */
  public AcquireSpec {
    RetryPolicy policy = config.retryPolicy();
    if (!policy.maxTime().isZero()) {
      waitNanos = Math.min(waitNanos, policy.maxTime().toNanos());
    }
  }

  /** A time to wait as a demand counts it; very long is for ever. */
  public static long nanos(Duration wait) {
    requireNonNull(wait, "wait must not be null");
    return wait.compareTo(Duration.ofDays(36_500)) > 0 ? FOREVER : wait.toNanos();
  }

  /** The same with another time to wait. */
  public AcquireSpec waitingFor(long nanos) {
    return new AcquireSpec(config, claim, threadOwned, lease, renew, nanos, interruptible);
  }

  /** True if it does not wait at all. */
  public boolean immediate() {
    return waitNanos <= 0;
  }

  public RetryPolicy policy() {
    return config.retryPolicy();
  }
}
