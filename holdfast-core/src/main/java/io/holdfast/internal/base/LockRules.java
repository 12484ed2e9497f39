package io.holdfast.internal.base;

import io.holdfast.LockConfig;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What can be a key, a lease or a time, and for how long a lease counts in this process. */
public final class LockRules {
  private static final Duration LONGEST_TIME = Duration.ofDays(36_500);
  private static final String RESERVED_PREFIX = "holdfast:";
  private static final Duration DRIFT_FLOOR = Duration.ofMillis(2);

  private LockRules() {}

  /** Returns the key if it can name a lock. */
  public static String requireKey(@Nullable String key) {
    if (key == null) {
      throw new IllegalArgumentException("a lock needs a key, not null");
    }
    if (key.isBlank()) {
      throw new IllegalArgumentException("a lock needs a key that is not blank");
    }
    if (key.startsWith(RESERVED_PREFIX)) {
      throw new IllegalArgumentException(
          "keys that start with '%s' are Holdfast's own: '%s'".formatted(RESERVED_PREFIX, key));
    }
    if (key.length() > LockConfig.MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key has at most %d characters, not %d: '%s...'"
              .formatted(LockConfig.MAX_KEY_LENGTH, key.length(), key.substring(0, 40)));
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < key.length()
              && Character.isLowSurrogate(key.charAt(i + 1));
      if (pair) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "the key has half a surrogate pair at index " + i + " and cannot be written as UTF-8");
      }
    }
    return key;
  }

  /** Returns the lease if it is one. */
  public static Duration requireLease(Duration lease) {
    requireGiven("lease", lease);
    if (lease.compareTo(LockConfig.MIN_LEASE) < 0 || lease.compareTo(LockConfig.MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "a lease is from %d ms to %d days, not %s"
              .formatted(LockConfig.MIN_LEASE.toMillis(), LockConfig.MAX_LEASE.toDays(), lease));
    }
    return lease;
  }

  /** Returns the time if it is positive and can be counted in nanoseconds. */
  public static Duration requirePositive(String what, Duration time) {
    requireGiven(what, time);
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(what + " must be positive, not " + time);
    }
    return requireCountable(what, time);
  }

  /** Returns the time if it is not negative and can be counted in nanoseconds. */
  public static Duration requireNotNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + time);
    }
    return requireCountable(what, time);
  }

  /** Returns the time if it fits into a long of nanoseconds, which end after 292 years. */
  public static Duration requireCountable(String what, Duration time) {
    if (time.compareTo(LONGEST_TIME) > 0) {
      throw new IllegalArgumentException(
          "%s is at most %d days, not %s".formatted(what, LONGEST_TIME.toDays(), time));
    }
    return time;
  }

  private static void requireGiven(String what, @Nullable Duration time) {
    Objects.requireNonNull(time, () -> what + " must not be null");
  }

  /**
   * How long a lease of this length counts as valid in this process, from before the request was
   * sent: its length less {@link LockConfig#clockDrift()}, 2 ms and {@link
   * LockConfig#lossMargin(Duration)}.
   */
  public static Duration validity(LockConfig config, Duration lease) {
    long drift = (long) (lease.toNanos() * config.clockDrift()) + DRIFT_FLOOR.toNanos();
    long early = drift + config.lossMargin(lease).toNanos();
    return Duration.ofNanos(Math.max(0, lease.toNanos() - early));
  }
}
