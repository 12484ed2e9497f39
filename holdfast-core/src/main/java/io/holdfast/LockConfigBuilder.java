package io.holdfast;

import io.holdfast.internal.base.LockRules;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link LockConfig}. A bare number is seconds.
 *
 * <pre>{@code
 * LockConfig config = LockConfig.builder().leaseTime(10).waitAlert(ofSeconds(5)).build();
 * LockConfig patient = config.toBuilder().storeTimeout(ofMinutes(2)).build();
 * }</pre>
 */
public final class LockConfigBuilder {
  @Nullable String lockKey;
  Duration leaseTime = Duration.ofSeconds(30);
  @Nullable Duration renewalTime;
  Duration watchdogPeriod = Duration.ofSeconds(5);
  boolean fair;
  RetryPolicy retryPolicy = RetryPolicy.standard();
  double clockDrift = 0.01;
  @Nullable Duration lossMargin;
  Duration storeTimeout = Duration.ofSeconds(30);
  Fallback fallback = Fallback.FAIL;
  boolean interruptOnLoss;
  Duration waitAlert = Duration.ZERO;
  Duration holdAlert = Duration.ZERO;
  Duration blockedAlert = Duration.ofMinutes(1);
  RecoveryStrategy recoveryStrategy = RecoveryStrategy.STANDARD;
  int alertThreshold = 2;
  boolean captureStack;
  int handoffLimit = 128;
  Duration handoffTime = Duration.ofMillis(10);
  Duration linger = Duration.ZERO;
  boolean pipelinedRelease;

  LockConfigBuilder() {}

  /** The lock. */
  public LockConfigBuilder lockKey(String key) {
    this.lockKey = LockRules.requireKey(key);
    return this;
  }

  /** The lease in seconds; default 30. */
  public LockConfigBuilder leaseTime(long seconds) {
    return leaseTime(Duration.ofSeconds(seconds));
  }

  /** The lease; default 30 s. */
  public LockConfigBuilder leaseTime(Duration lease) {
    this.leaseTime = given(lease, "leaseTime");
    return this;
  }

  /** The time between renewals in seconds; default a third of the lease. */
  public LockConfigBuilder renewalTime(long seconds) {
    return renewalTime(Duration.ofSeconds(seconds));
  }

  /** The time between renewals; default a third of the lease. */
  public LockConfigBuilder renewalTime(Duration time) {
    this.renewalTime = given(time, "renewalTime");
    return this;
  }

  /** The time between checks of held locks in seconds; default 5. */
  public LockConfigBuilder watchdogPeriod(long seconds) {
    return watchdogPeriod(Duration.ofSeconds(seconds));
  }

  /** The time between checks of held locks; default 5 s. */
  public LockConfigBuilder watchdogPeriod(Duration period) {
    this.watchdogPeriod = given(period, "watchdogPeriod");
    return this;
  }

  /** Order of arrival instead of throughput; default false. */
  public LockConfigBuilder fair(boolean fair) {
    this.fair = fair;
    return this;
  }

  /** How to wait; default {@link RetryPolicy#standard()}. */
  public LockConfigBuilder retryPolicy(RetryPolicy policy) {
    this.retryPolicy = given(policy, "retryPolicy");
    return this;
  }

  /** Tolerated difference in the rate of clocks, as a share; default 0.01. */
  public LockConfigBuilder clockDrift(double share) {
    this.clockDrift = share;
    return this;
  }

  /**
   * How long before the store can expire a lease the holder stops to believe in it and is called
   * back; default a fifth of the lease, at most 2 s. At most half of the lease time; where a single
   * call has a shorter lease, at most half of that. Zero leaves only the clock drift.
   */
  public LockConfigBuilder lossMargin(Duration margin) {
    this.lossMargin = given(margin, "lossMargin");
    return this;
  }

  /** For how long a silent store is asked again before an exception; default 30 s. */
  public LockConfigBuilder storeTimeout(Duration time) {
    this.storeTimeout = given(time, "storeTimeout");
    return this;
  }

  /** What to do when the store cannot be reached; default {@link Fallback#FAIL}. */
  public LockConfigBuilder fallback(Fallback strategy) {
    this.fallback = given(strategy, "fallback");
    return this;
  }

  /** Interrupt the holding thread when the lock is lost; default false. */
  public LockConfigBuilder interruptOnLoss(boolean interrupt) {
    this.interruptOnLoss = interrupt;
    return this;
  }

  /** When somebody waits for too long; default zero, never. */
  public LockConfigBuilder waitAlert(Duration time) {
    this.waitAlert = given(time, "waitAlert");
    return this;
  }

  /** When a lock is held for too long; default zero, never. */
  public LockConfigBuilder holdAlert(Duration time) {
    this.holdAlert = given(time, "holdAlert");
    return this;
  }

  /** When a holding thread that does not run is reported; default 1 minute, zero for never. */
  public LockConfigBuilder blockedAlert(Duration time) {
    this.blockedAlert = given(time, "blockedAlert");
    return this;
  }

  /** What the watchdog may do; default {@link RecoveryStrategy#STANDARD}. */
  public LockConfigBuilder recoveryStrategy(RecoveryStrategy strategy) {
    this.recoveryStrategy = given(strategy, "recoveryStrategy");
    return this;
  }

  /** Checks in a row before an alert about what may pass; default 2. */
  public LockConfigBuilder alertThreshold(int checks) {
    this.alertThreshold = checks;
    return this;
  }

  /** Remember where a lock was taken; default false. */
  public LockConfigBuilder captureStack(boolean capture) {
    this.captureStack = capture;
    return this;
  }

  /** Local handoffs in a row while other processes wait; default 128. */
  public LockConfigBuilder handoffLimit(int number) {
    this.handoffLimit = number;
    return this;
  }

  /** Time in sum for such handoffs; default 10 ms. */
  public LockConfigBuilder handoffTime(Duration time) {
    this.handoffTime = given(time, "handoffTime");
    return this;
  }

  /** How long an unused lock stays with this process until another asks; default zero. */
  public LockConfigBuilder linger(Duration time) {
    this.linger = given(time, "linger");
    return this;
  }

  /** Do not wait for the answer to a release; default false. */
  public LockConfigBuilder pipelinedRelease(boolean pipelined) {
    this.pipelinedRelease = pipelined;
    return this;
  }

  /** Checks everything and builds. */
  public LockConfig build() {
    return new LockConfig(this);
  }

  private static <T> T given(@Nullable T value, String what) {
    return Objects.requireNonNull(value, () -> what + " must not be null");
  }
}
