package io.holdfast;

import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.base.ReadableTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a lock. Immutable; every value has a safe default and is checked when the object
 * is built.
 *
 * <pre>{@code
 * LockConfig config = LockConfig.builder()
 *     .lockKey("myLock")
 *     .leaseTime(30)        // seconds; or Duration.ofSeconds(30)
 *     .renewalTime(10)
 *     .fair(true)
 *     .build();
 * LockConfig other = config.toBuilder().fair(false).build();
 * }</pre>
 */
public final class LockConfig {
  /** The longest key, in characters. */
  public static final int MAX_KEY_LENGTH = 1024;

  /** The shortest lease. */
  public static final Duration MIN_LEASE = Duration.ofMillis(50);

  /** The longest lease. */
  public static final Duration MAX_LEASE = Duration.ofDays(365);

  /** The shortest time between checks of the watchdog. */
  public static final Duration MIN_WATCHDOG_PERIOD = Duration.ofMillis(10);

  private static final int DEFAULT_MARGIN_SHARE = 5;
  private static final Duration LONGEST_DEFAULT_MARGIN = Duration.ofSeconds(2);
  private static final int LARGEST_MARGIN_SHARE = 2;
  private static final int RENEWALS_PER_LEASE = 3;
  private static final Set<String> ALWAYS_SHOWN = Set.of("leaseTime", "renewalTime");
  private static final LockConfig DEFAULTS = builder().build();

  private final @Nullable String lockKey;
  private final Duration leaseTime;
  private final Duration renewalTime;
  private final Duration watchdogPeriod;
  private final boolean fair;
  private final RetryPolicy retryPolicy;
  private final double clockDrift;
  private final @Nullable Duration lossMargin;
  private final Duration storeTimeout;
  private final Fallback fallback;
  private final boolean interruptOnLoss;
  private final Duration waitAlert;
  private final Duration holdAlert;
  private final Duration blockedAlert;
  private final RecoveryStrategy recoveryStrategy;
  private final int alertThreshold;
  private final boolean captureStack;
  private final int handoffLimit;
  private final Duration handoffTime;
  private final Duration linger;
  private final boolean pipelinedRelease;

  LockConfig(LockConfigBuilder from) {
    lockKey = from.lockKey;
    leaseTime = LockRules.requireLease(from.leaseTime);
    clockDrift = from.clockDrift;
    lossMargin = from.lossMargin;
    checkDriftAndMargin();
    renewalTime =
        from.renewalTime != null ? from.renewalTime : leaseTime.dividedBy(RENEWALS_PER_LEASE);
    checkRenewalTime();
    watchdogPeriod = LockRules.requirePositive("watchdogPeriod", from.watchdogPeriod);
    if (watchdogPeriod.compareTo(MIN_WATCHDOG_PERIOD) < 0) {
      throw new IllegalArgumentException(
          "watchdogPeriod is at least %d ms, not %s"
              .formatted(MIN_WATCHDOG_PERIOD.toMillis(), watchdogPeriod));
    }
    fair = from.fair;
    retryPolicy = from.retryPolicy;
    storeTimeout = LockRules.requirePositive("storeTimeout", from.storeTimeout);
    fallback = from.fallback;
    interruptOnLoss = from.interruptOnLoss;
    waitAlert = LockRules.requireNotNegative("waitAlert", from.waitAlert);
    holdAlert = LockRules.requireNotNegative("holdAlert", from.holdAlert);
    blockedAlert = LockRules.requireNotNegative("blockedAlert", from.blockedAlert);
    recoveryStrategy = from.recoveryStrategy;
    alertThreshold = from.alertThreshold;
    if (alertThreshold < 1) {
      throw new IllegalArgumentException(
          "alertThreshold is at least 1 check, not " + alertThreshold);
    }
    captureStack = from.captureStack;
    handoffLimit = from.handoffLimit;
    handoffTime = LockRules.requireCountable("handoffTime", from.handoffTime);
    if (handoffLimit < 0 || handoffTime.isNegative()) {
      throw new IllegalArgumentException(
          "handoffLimit %d and handoffTime %s must not be negative"
              .formatted(handoffLimit, handoffTime));
    }
    linger = LockRules.requireNotNegative("linger", from.linger);
    pipelinedRelease = from.pipelinedRelease;
  }

  private void checkDriftAndMargin() {
    if (!(clockDrift >= 0 && clockDrift <= 0.1)) {
      throw new IllegalArgumentException("clockDrift is a share from 0 to 0.1, not " + clockDrift);
    }
    if (lossMargin != null) {
      LockRules.requireNotNegative("lossMargin", lossMargin);
      if (lossMargin.compareTo(leaseTime.dividedBy(LARGEST_MARGIN_SHARE)) > 0) {
        throw new IllegalArgumentException(
            "lossMargin %s must be at most half of leaseTime %s, or no time is left to use the lock"
                .formatted(lossMargin, leaseTime));
      }
    }
  }

  private void checkRenewalTime() {
    LockRules.requirePositive("renewalTime", renewalTime);
    Duration validity = LockRules.validity(this, leaseTime);
    if (renewalTime.compareTo(validity) >= 0) {
      throw new IllegalArgumentException(
          ("renewalTime %s must be shorter than %s, which is leaseTime %s less clockDrift and"
                  + " lossMargin, or the lock is lost before it is renewed; a third of the lease is"
                  + " a good choice")
              .formatted(renewalTime, validity, leaseTime));
    }
  }

  /** The defaults, without a key. */
  public static LockConfig defaults() {
    return DEFAULTS;
  }

  /** Starts from the defaults. */
  public static LockConfigBuilder builder() {
    return new LockConfigBuilder();
  }

  /** A builder that starts from these settings. */
  public LockConfigBuilder toBuilder() {
    LockConfigBuilder builder = new LockConfigBuilder();
    builder.lockKey = lockKey;
    builder.leaseTime = leaseTime;
    boolean usual = renewalTime.equals(leaseTime.dividedBy(RENEWALS_PER_LEASE));
    builder.renewalTime = usual ? null : renewalTime;
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

  /** The same settings for another key. */
  public LockConfig withKey(String key) {
    return toBuilder().lockKey(key).build();
  }

  // ---- the settings

  /** The lock, or null where the settings serve as defaults for many locks. */
  public @Nullable String lockKey() {
    return lockKey;
  }

  /** How long the store keeps the lock when it hears nothing from the holder. */
  public Duration leaseTime() {
    return leaseTime;
  }

  /** How often a held lock is renewed. */
  public Duration renewalTime() {
    return renewalTime;
  }

  /** How often held locks are checked. */
  public Duration watchdogPeriod() {
    return watchdogPeriod;
  }

  /** True for order of arrival, across threads and processes. */
  public boolean fair() {
    return fair;
  }

  /** How to wait. */
  public RetryPolicy retryPolicy() {
    return retryPolicy;
  }

  /**
   * By how much, as a share, this machine's clock may run slower than the store's. By this
   * machine's clock the store keeps a lease for its length less this share and 2 ms, or longer.
   */
  public double clockDrift() {
    return clockDrift;
  }

  /**
   * How long before that moment this process stops to believe in the lock and sends the loss
   * callbacks; null for the default, a fifth of each lease and at most 2 s; see {@link
   * #lossMargin(Duration)}.
   */
  public @Nullable Duration lossMargin() {
    return lossMargin;
  }

  /**
   * The loss margin of a lease of this length: {@link #lossMargin()}, but at most half of a lease
   * that is shorter than {@link #leaseTime()}, or, where none is set, a fifth of the lease and at
   * most 2 s.
   */
  public Duration lossMargin(Duration lease) {
    return lossMargin == null
        ? shorter(lease.dividedBy(DEFAULT_MARGIN_SHARE), LONGEST_DEFAULT_MARGIN)
        : shorter(lossMargin, lease.dividedBy(LARGEST_MARGIN_SHARE));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** For how long a store that does not answer is asked again before an exception. */
  public Duration storeTimeout() {
    return storeTimeout;
  }

  /** What to do when the store has not answered for that long, or is known not to answer. */
  public Fallback fallback() {
    return fallback;
  }

  /** True to interrupt the holding thread when the lock is lost. */
  public boolean interruptOnLoss() {
    return interruptOnLoss;
  }

  /** After which time of waiting there is an alert; zero for never. */
  public Duration waitAlert() {
    return waitAlert;
  }

  /** After which time of holding there is an alert; zero for never. */
  public Duration holdAlert() {
    return holdAlert;
  }

  /** After which time without running a holding thread is reported as blocked; zero for never. */
  public Duration blockedAlert() {
    return blockedAlert;
  }

  /** What the watchdog may do about what it finds. */
  public RecoveryStrategy recoveryStrategy() {
    return recoveryStrategy;
  }

  /** How many checks in a row must find something transient before there is an alert. */
  public int alertThreshold() {
    return alertThreshold;
  }

  /** True to remember where a lock was taken, for the log: a stack trace per acquisition. */
  public boolean captureStack() {
    return captureStack;
  }

  /**
   * How many times in a row threads of this process may pass the lock on among themselves while
   * other processes wait for it; 0 for never. While no other process waits there is no limit.
   */
  public int handoffLimit() {
    return handoffLimit;
  }

  /** How long, in sum, they may do so. */
  public Duration handoffTime() {
    return handoffTime;
  }

  /**
   * For how long after its last use an exclusive lock stays with this process, so that the next use
   * costs nothing; given up at once when another process asks for it. The store is asked every half
   * second whether it still has it. Zero for never.
   */
  public Duration linger() {
    return linger;
  }

  /**
   * True if a release does not wait for the store's answer: it is sent, repeated until it is
   * answered, and a lock that turns out to have been lost is reported to listeners instead of
   * thrown.
   */
  public boolean pipelinedRelease() {
    return pipelinedRelease;
  }

  // ---- as a value

  /** By name, in the order in which people want to read them. */
  private Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("lockKey", lockKey);
    settings.put("leaseTime", leaseTime);
    settings.put("renewalTime", renewalTime);
    settings.put("watchdogPeriod", watchdogPeriod);
    settings.put("fair", fair);
    settings.put("retryPolicy", retryPolicy);
    settings.put("clockDrift", clockDrift);
    settings.put("lossMargin", lossMargin);
    settings.put("storeTimeout", storeTimeout);
    settings.put("fallback", fallback);
    settings.put("interruptOnLoss", interruptOnLoss);
    settings.put("waitAlert", waitAlert);
    settings.put("holdAlert", holdAlert);
    settings.put("blockedAlert", blockedAlert);
    settings.put("recoveryStrategy", recoveryStrategy);
    settings.put("alertThreshold", alertThreshold);
    settings.put("captureStack", captureStack);
    settings.put("handoffLimit", handoffLimit);
    settings.put("handoffTime", handoffTime);
    settings.put("linger", linger);
    settings.put("pipelinedRelease", pipelinedRelease);
    return settings;
  }

  /** True for settings that are the same in everything, the key included. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof LockConfig config && settings().equals(config.settings()));
  }

  @Override
  public int hashCode() {
    return settings().hashCode();
  }

  /** Key, lease and renewal, and of the other settings those that are not the default. */
  @Override
  public String toString() {
    Map<String, @Nullable Object> usual = DEFAULTS.settings();
    usual.keySet().removeAll(ALWAYS_SHOWN);
    StringJoiner text = new StringJoiner(", ", "LockConfig[", "]");
    settings()
        .forEach(
            (name, value) -> {
              if (value != null && !value.equals(usual.get(name))) {
                text.add(name + "=" + readable(value));
              }
            });
    return text.toString();
  }

  private static String readable(Object value) {
    if (value instanceof String key) {
      return "'" + key + "'";
    }
    if (value instanceof Duration time) {
      return ReadableTime.of(time);
    }
    if (value instanceof RecoveryStrategy strategy) {
      return new TreeSet<>(strategy.actions()).toString();
    }
    if (value instanceof Fallback) {
      return value == Fallback.PROCESS_LOCAL ? "PROCESS_LOCAL" : "of the application";
    }
    return value.toString();
  }
}
