package io.holdfast;

import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.base.ReadableTime;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How a caller waits for a busy lock. The store's notification is the normal wake-up and always
 * comes first; the policy says when to look again without one, and when to stop.
 *
 * <pre>{@code
 * RetryPolicy.standard()                                     // until told otherwise; looks once a second
 * RetryPolicy.failFast()                                     // one try
 * RetryPolicy.fixed(Duration.ofMillis(200)).maxTries(10)
 * RetryPolicy.exponential(Duration.ofMillis(10), Duration.ofSeconds(1)).jitter(0.5).spins(3)
 * }</pre>
 *
 * <p>Immutable; every method returns a new policy.
 */
public final class RetryPolicy {
  private static final RetryPolicy STANDARD =
      new RetryPolicy(Duration.ofSeconds(1), Duration.ofSeconds(1), 1, 0.1, 0, 0, Duration.ZERO);

  private final Duration first;
  private final Duration most;
  private final double factor;
  private final double jitter;
  private final int spins;
  private final int maxTries;
  private final Duration maxTime;

  private RetryPolicy(
      Duration first,
      Duration most,
      double factor,
      double jitter,
      int spins,
      int maxTries,
      Duration maxTime) {
    this.first = first;
    this.most = most;
    this.factor = factor;
    this.jitter = jitter;
    this.spins = spins;
    this.maxTries = maxTries;
    this.maxTime = maxTime;
  }

  /** Waits for as long as the call allows; looks again every second (with 10 % jitter). */
  public static RetryPolicy standard() {
    return STANDARD;
  }

  /** One try. */
  public static RetryPolicy failFast() {
    return STANDARD.maxTries(1);
  }

  /** Looks again after the same delay each time. */
  public static RetryPolicy fixed(Duration delay) {
    LockRules.requirePositive("delay", delay);
    return new RetryPolicy(delay, delay, 1, 0, 0, 0, Duration.ZERO);
  }

  /** Looks again after a delay that doubles each time up to the given most. */
  public static RetryPolicy exponential(Duration first, Duration most) {
    LockRules.requirePositive("first delay", first);
    LockRules.requirePositive("most delay", most);
    if (most.compareTo(first) < 0) {
      throw new IllegalArgumentException("most delay " + most + " is less than the first " + first);
    }
    return new RetryPolicy(first, most, 2, 0, 0, 0, Duration.ZERO);
  }

  /** Varies each delay at random by up to this share of it, 0 to 1. */
  public RetryPolicy jitter(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("jitter is a share from 0 to 1, not " + share);
    }
    return new RetryPolicy(first, most, factor, share, spins, maxTries, maxTime);
  }

  /** Tries this often again at once, before the first delay. */
  public RetryPolicy spins(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("spins must not be negative: " + number);
    }
    return new RetryPolicy(first, most, factor, jitter, number, maxTries, maxTime);
  }

  /** Gives up after this many tries at the store. */
  public RetryPolicy maxTries(int number) {
    if (number < 1) {
      throw new IllegalArgumentException("there must be at least one try, not " + number);
    }
    return new RetryPolicy(first, most, factor, jitter, spins, number, maxTime);
  }

  /** Gives up after this time, even where the call itself would wait for longer. */
  public RetryPolicy maxTime(Duration time) {
    LockRules.requirePositive("time", time);
    return new RetryPolicy(first, most, factor, jitter, spins, maxTries, time);
  }

  /** The longest time to wait; zero for no limit. */
  public Duration maxTime() {
    return maxTime;
  }

  /** How often to try again at once. */
  public int spins() {
    return spins;
  }

  /** True if another try is allowed after so many. */
  public boolean allowsTryAfter(int tries) {
    return maxTries == 0 || tries < maxTries;
  }

  /** The delay after the given number of tries (1 or more), in nanoseconds, with jitter. */
  public long delayNanosAfter(int tries) {
    int step = Math.max(0, tries - 1 - spins);
    double base = Math.min((double) most.toNanos(), first.toNanos() * Math.pow(factor, step));
    double spread = jitter == 0 ? 0 : jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return Math.max(1, (long) (base * (1 + spread)));
  }

  /** The longest delay this policy can give. */
  public Duration longestDelay() {
    return Duration.ofNanos((long) (most.toNanos() * (1 + jitter)));
  }

  @Override
  public String toString() {
    return "RetryPolicy[first=%s, most=%s, jitter=%s, spins=%d, maxTries=%s, maxTime=%s]"
        .formatted(
            ReadableTime.of(first),
            ReadableTime.of(most),
            jitter,
            spins,
            maxTries == 0 ? "no limit" : maxTries,
            maxTime.isZero() ? "no limit" : ReadableTime.of(maxTime));
  }
}
