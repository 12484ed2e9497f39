package io.holdfast;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a lock. Every value has a safe default and is checked when the object is built.
 *
 * <pre>{@code
 * LockConfig config = LockConfig.builder()
 *     .lockKey("myLock")
 *     .leaseTime(30)        // seconds; or Duration.ofSeconds(30)
 *     .renewalTime(10)
 *     .fair(true)
 *     .build();
 * }</pre>
 *
 * @param lockKey the lock, or null where the settings serve as defaults for many locks
 * @param leaseTime how long the store keeps the lock when it hears nothing from the holder
 * @param renewalTime how often a held lock is renewed
 * @param watchdogPeriod how often held locks are checked
 * @param fair true for order of arrival, across threads and processes
 * @param retryPolicy how to wait
 * @param clockDrift by how much, as a share, this machine's clock may run slower than the store's.
 *     By this machine's clock the store keeps a lease for its length less this share and 2 ms, or
 *     longer
 * @param lossMargin how long before that moment this process stops to believe in the lock and sends
 *     the loss callbacks; null for the default, a fifth of each lease and at most 2 s; see {@link
 *     #lossMargin(Duration)}
 * @param storeTimeout for how long a store that does not answer is asked again before an exception
 * @param fallback what to do when it has not answered for that long, or is known not to answer
 * @param interruptOnLoss true to interrupt the holding thread when the lock is lost
 * @param waitAlert after which time of waiting there is an alert; zero for never
 * @param holdAlert after which time of holding there is an alert; zero for never
 * @param blockedAlert after which time without running a holding thread is reported as blocked;
 *     zero for never
 * @param recoveryStrategy what the watchdog may do about what it finds
 * @param alertThreshold how many checks in a row must find something that may pass by itself before
 *     there is an alert
 * @param captureStack true to remember where a lock was taken, for the log; costs a stack trace per
 *     acquisition
 * @param handoffLimit how many times in a row threads of this process may pass the lock on among
 *     themselves while other processes wait for it; 0 for never. Nobody else waiting: no limit
 * @param handoffTime how long, in sum, they may do so
 * @param linger for how long after its last use an exclusive lock stays with this process, so that
 *     the next use costs nothing; given up at once when another process asks for it. The store is
 *     asked every half second whether it still has it. Zero for never
 * @param pipelinedRelease true if a release does not wait for the store's answer: it is sent,
 *     repeated until it is answered, and a lock that turns out to have been lost is reported to
 *     listeners instead of thrown
 */
public record LockConfig(
    @Nullable String lockKey,
    Duration leaseTime,
    Duration renewalTime,
    Duration watchdogPeriod,
    boolean fair,
    RetryPolicy retryPolicy,
    double clockDrift,
    @Nullable Duration lossMargin,
    Duration storeTimeout,
    Fallback fallback,
    boolean interruptOnLoss,
    Duration waitAlert,
    Duration holdAlert,
    Duration blockedAlert,
    RecoveryStrategy recoveryStrategy,
    int alertThreshold,
    boolean captureStack,
    int handoffLimit,
    Duration handoffTime,
    Duration linger,
    boolean pipelinedRelease) {

  /** The longest key, in characters. */
  public static final int MAX_KEY_LENGTH = 1024;

  /** The shortest lease. */
  public static final Duration MIN_LEASE = Duration.ofMillis(50);

  /** The longest lease. */
  public static final Duration MAX_LEASE = Duration.ofDays(365);

  /** The shortest time between checks of the watchdog. */
  public static final Duration MIN_WATCHDOG_PERIOD = Duration.ofMillis(10);

  private static final Duration LONGEST_TIME = Duration.ofDays(36_500);
  private static final String RESERVED_PREFIX = "holdfast:";
  private static final Duration DRIFT_FLOOR = Duration.ofMillis(2);
  private static final int DEFAULT_MARGIN_SHARE = 5;
  private static final Duration LONGEST_DEFAULT_MARGIN = Duration.ofSeconds(2);
  private static final int LARGEST_MARGIN_SHARE = 2;
  private static final LockConfig DEFAULTS = builder().build();

  /** Checks every value. */
  public LockConfig {
    if (lockKey != null) {
      requireKey(lockKey);
    }
    requireLease(leaseTime);
    if (!(clockDrift >= 0 && clockDrift <= 0.1)) {
      throw new IllegalArgumentException("clockDrift is a share from 0 to 0.1, not " + clockDrift);
    }
    if (lossMargin != null) {
      requireNotNegative("lossMargin", lossMargin);
      if (lossMargin.compareTo(leaseTime.dividedBy(LARGEST_MARGIN_SHARE)) > 0) {
        throw new IllegalArgumentException(
            "lossMargin %s must be at most half of leaseTime %s, or no time is left to use the lock"
                .formatted(lossMargin, leaseTime));
      }
    }
    requirePositive("renewalTime", renewalTime);
    Duration validity = validity(leaseTime, clockDrift, lossMargin);
    if (renewalTime.compareTo(validity) >= 0) {
      throw new IllegalArgumentException(
          ("renewalTime %s must be shorter than %s, which is leaseTime %s less clockDrift "
                  + "and lossMargin, or the lock is lost before it is renewed; a third of the lease "
                  + "is a good choice")
              .formatted(renewalTime, validity, leaseTime));
    }
    requirePositive("watchdogPeriod", watchdogPeriod);
    if (watchdogPeriod.compareTo(MIN_WATCHDOG_PERIOD) < 0) {
      throw new IllegalArgumentException(
          "watchdogPeriod is at least %d ms, not %s"
              .formatted(MIN_WATCHDOG_PERIOD.toMillis(), watchdogPeriod));
    }
    Objects.requireNonNull(retryPolicy, "retryPolicy");
    Objects.requireNonNull(fallback, "fallback");
    Objects.requireNonNull(recoveryStrategy, "recoveryStrategy");
    requirePositive("storeTimeout", storeTimeout);
    requireNotNegative("waitAlert", waitAlert);
    requireNotNegative("holdAlert", holdAlert);
    requireNotNegative("blockedAlert", blockedAlert);
    if (alertThreshold < 1) {
      throw new IllegalArgumentException(
          "alertThreshold is at least 1 check, not " + alertThreshold);
    }
    if (handoffLimit < 0 || handoffTime.isNegative()) {
      throw new IllegalArgumentException(
          "handoffLimit %d and handoffTime %s must not be negative"
              .formatted(handoffLimit, handoffTime));
    }
    requireCountable("handoffTime", handoffTime);
    requireNotNegative("linger", linger);
  }

  /** The defaults, without a key. */
  public static LockConfig defaults() {
    return DEFAULTS;
  }

  /** Starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** The same settings for another key. */
  public LockConfig withKey(String key) {
    return toBuilder().lockKey(key).build();
  }

  /** A builder that starts from these settings. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.lockKey = lockKey;
    builder.leaseTime = leaseTime;
    builder.renewalTime = renewalTime.equals(leaseTime.dividedBy(3)) ? null : renewalTime;
    builder.watchdogPeriod = watchdogPeriod;
    builder.fair = fair;
    builder.retryPolicy = retryPolicy;
    builder.clockDrift = clockDrift;
    builder.lossMargin = lossMargin;
    builder.storeTimeout = storeTimeout;
    builder.fallback = fallback;
    builder.interruptOnLoss = interruptOnLoss;
    builder.waitAlert = waitAlert;
    builder.holdAlert = holdAlert;
    builder.blockedAlert = blockedAlert;
    builder.recoveryStrategy = recoveryStrategy;
    builder.alertThreshold = alertThreshold;
    builder.captureStack = captureStack;
    builder.handoffLimit = handoffLimit;
    builder.handoffTime = handoffTime;
    builder.linger = linger;
    builder.pipelinedRelease = pipelinedRelease;
    return builder;
  }

  /**
   * How long a lease of this length counts as valid in this process, from before the request was
   * sent: its length less {@link #clockDrift()}, 2 ms and {@link #lossMargin(Duration)}.
   */
  public Duration validity(Duration lease) {
    return validity(lease, clockDrift, lossMargin);
  }

  private static Duration validity(Duration lease, double clockDrift, @Nullable Duration margin) {
    long drift = (long) (lease.toNanos() * clockDrift) + DRIFT_FLOOR.toNanos();
    long early = drift + margin(lease, margin).toNanos();
    return Duration.ofNanos(Math.max(0, lease.toNanos() - early));
  }

  /**
   * The loss margin of a lease of this length: {@link #lossMargin()}, but at most half of a lease
   * that is shorter than {@link #leaseTime()}, or, where none is set, a fifth of the lease and at
   * most 2 s.
   */
  public Duration lossMargin(Duration lease) {
    return margin(lease, lossMargin);
  }

  private static Duration margin(Duration lease, @Nullable Duration margin) {
    return margin == null
        ? shorter(lease.dividedBy(DEFAULT_MARGIN_SHARE), LONGEST_DEFAULT_MARGIN)
        : shorter(margin, lease.dividedBy(LARGEST_MARGIN_SHARE));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

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
    if (key.length() > MAX_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "a key has at most %d characters, not %d: '%s...'"
              .formatted(MAX_KEY_LENGTH, key.length(), key.substring(0, 40)));
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
    requireNonNull(lease, "lease");
    if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "a lease is from %d ms to %d days, not %s"
              .formatted(MIN_LEASE.toMillis(), MAX_LEASE.toDays(), lease));
    }
    return lease;
  }

  static void requirePositive(String what, Duration time) {
    requireNonNull(time, what);
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException(what + " must be positive, not " + time);
    }
    requireCountable(what, time);
  }

  private static void requireNotNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + time);
    }
    requireCountable(what, time);
  }

  /** Nanoseconds in a long end after 292 years. */
  private static void requireCountable(String what, Duration time) {
    if (time.compareTo(LONGEST_TIME) > 0) {
      throw new IllegalArgumentException(
          "%s is at most %d days, not %s".formatted(what, LONGEST_TIME.toDays(), time));
    }
  }

  private static <T> T requireNonNull(@Nullable T value, String what) {
    return Objects.requireNonNull(value, () -> what + " must not be null");
  }

  /** Builds a {@link LockConfig}. A bare number is seconds. */
  public static final class Builder {
    private @Nullable String lockKey;
    private Duration leaseTime = Duration.ofSeconds(30);
    private @Nullable Duration renewalTime;
    private Duration watchdogPeriod = Duration.ofSeconds(5);
    private boolean fair;
    private RetryPolicy retryPolicy = RetryPolicy.standard();
    private double clockDrift = 0.01;
    private @Nullable Duration lossMargin;
    private Duration storeTimeout = Duration.ofSeconds(30);
    private Fallback fallback = Fallback.FAIL;
    private boolean interruptOnLoss;
    private Duration waitAlert = Duration.ZERO;
    private Duration holdAlert = Duration.ZERO;
    private Duration blockedAlert = Duration.ofMinutes(1);
    private RecoveryStrategy recoveryStrategy = RecoveryStrategy.STANDARD;
    private int alertThreshold = 2;
    private boolean captureStack;
    private int handoffLimit = 128;
    private Duration handoffTime = Duration.ofMillis(10);
    private Duration linger = Duration.ZERO;
    private boolean pipelinedRelease;

    private Builder() {}

    /** The lock. */
    public Builder lockKey(String key) {
      this.lockKey = requireKey(key);
      return this;
    }

    /** The lease in seconds; default 30. */
    public Builder leaseTime(long seconds) {
      return leaseTime(Duration.ofSeconds(seconds));
    }

    /** The lease; default 30 s. */
    public Builder leaseTime(Duration lease) {
      this.leaseTime = requireNonNull(lease, "leaseTime");
      return this;
    }

    /** The time between renewals in seconds; default a third of the lease. */
    public Builder renewalTime(long seconds) {
      return renewalTime(Duration.ofSeconds(seconds));
    }

    /** The time between renewals; default a third of the lease. */
    public Builder renewalTime(Duration time) {
      this.renewalTime = requireNonNull(time, "renewalTime");
      return this;
    }

    /** The time between checks of held locks in seconds; default 5. */
    public Builder watchdogPeriod(long seconds) {
      return watchdogPeriod(Duration.ofSeconds(seconds));
    }

    /** The time between checks of held locks; default 5 s. */
    public Builder watchdogPeriod(Duration period) {
      this.watchdogPeriod = requireNonNull(period, "watchdogPeriod");
      return this;
    }

    /** Order of arrival instead of throughput; default false. */
    public Builder fair(boolean fair) {
      this.fair = fair;
      return this;
    }

    /** How to wait; default {@link RetryPolicy#standard()}. */
    public Builder retryPolicy(RetryPolicy policy) {
      this.retryPolicy = requireNonNull(policy, "retryPolicy");
      return this;
    }

    /** Tolerated difference in the rate of clocks, as a share; default 0.01. */
    public Builder clockDrift(double share) {
      this.clockDrift = share;
      return this;
    }

    /**
     * How long before the store can expire a lease the holder stops to believe in it and is called
     * back; default a fifth of the lease, at most 2 s. At most half of the lease time; where a
     * single call has a shorter lease, at most half of that. Zero leaves only the clock drift.
     */
    public Builder lossMargin(Duration margin) {
      this.lossMargin = requireNonNull(margin, "lossMargin");
      return this;
    }

    /** For how long a silent store is asked again before an exception; default 30 s. */
    public Builder storeTimeout(Duration time) {
      this.storeTimeout = requireNonNull(time, "storeTimeout");
      return this;
    }

    /** What to do when the store cannot be reached; default {@link Fallback#FAIL}. */
    public Builder fallback(Fallback strategy) {
      this.fallback = requireNonNull(strategy, "fallback");
      return this;
    }

    /** Interrupt the holding thread when the lock is lost; default false. */
    public Builder interruptOnLoss(boolean interrupt) {
      this.interruptOnLoss = interrupt;
      return this;
    }

    /** When somebody waits for too long; default zero, never. */
    public Builder waitAlert(Duration time) {
      this.waitAlert = requireNonNull(time, "waitAlert");
      return this;
    }

    /** When a lock is held for too long; default zero, never. */
    public Builder holdAlert(Duration time) {
      this.holdAlert = requireNonNull(time, "holdAlert");
      return this;
    }

    /** When a holding thread that does not run is reported; default 1 minute, zero for never. */
    public Builder blockedAlert(Duration time) {
      this.blockedAlert = requireNonNull(time, "blockedAlert");
      return this;
    }

    /** What the watchdog may do; default {@link RecoveryStrategy#STANDARD}. */
    public Builder recoveryStrategy(RecoveryStrategy strategy) {
      this.recoveryStrategy = requireNonNull(strategy, "recoveryStrategy");
      return this;
    }

    /** Checks in a row before an alert about what may pass; default 2. */
    public Builder alertThreshold(int checks) {
      this.alertThreshold = checks;
      return this;
    }

    /** Remember where a lock was taken; default false. */
    public Builder captureStack(boolean capture) {
      this.captureStack = capture;
      return this;
    }

    /** Local handoffs in a row while other processes wait; default 128. */
    public Builder handoffLimit(int number) {
      this.handoffLimit = number;
      return this;
    }

    /** Time in sum for such handoffs; default 10 ms. */
    public Builder handoffTime(Duration time) {
      this.handoffTime = requireNonNull(time, "handoffTime");
      return this;
    }

    /** How long an unused lock stays with this process until another asks; default zero. */
    public Builder linger(Duration time) {
      this.linger = requireNonNull(time, "linger");
      return this;
    }

    /** Do not wait for the answer to a release; default false. */
    public Builder pipelinedRelease(boolean pipelined) {
      this.pipelinedRelease = pipelined;
      return this;
    }

    /** Checks everything and builds. */
    public LockConfig build() {
      Duration renewal = renewalTime != null ? renewalTime : leaseTime.dividedBy(3);
      return new LockConfig(
          lockKey,
          leaseTime,
          renewal,
          watchdogPeriod,
          fair,
          retryPolicy,
          clockDrift,
          lossMargin,
          storeTimeout,
          fallback,
          interruptOnLoss,
          waitAlert,
          holdAlert,
          blockedAlert,
          recoveryStrategy,
          alertThreshold,
          captureStack,
          handoffLimit,
          handoffTime,
          linger,
          pipelinedRelease);
    }
  }
}
