package io.holdfast.internal.lease;

import io.holdfast.LockConfig;

/**
 * When the lease of a {@link Tenure} is renewed next, and how its renewals went so far. Plans
 * nothing by itself: {@code RenewalManager} asks every plan what is due.
 */
public final class RenewalPlan {
  private static final long NEVER = Long.MAX_VALUE;

  private final LockConfig config;
  private final long leaseNanos;
  private final boolean renewing;

  private volatile long renewAt;
  private volatile boolean underWay;
  private volatile boolean restarted;
  private volatile long confirmedAt;
  private volatile long triedAt;

  // Approximate; diagnostics only.
  private int answered;
  private int failed;

  /**
   * @param asOf a clock reading before the grant can have happened
   * @param grantedNanos what the store granted; may be less than the lease
   */
  RenewalPlan(LockConfig config, long leaseNanos, boolean renewing, long asOf, long grantedNanos) {
    this.config = config;
    this.leaseNanos = leaseNanos;
    this.renewing = renewing;
    this.confirmedAt = asOf;
    this.triedAt = asOf;
    this.renewAt = next(asOf, leaseNanos, grantedNanos);
  }

  /** A lease that was not granted in full is asked for again soon. */
  private long next(long sentAt, long asked, long granted) {
    long planned = renewing ? config.renewalTime().toNanos() : NEVER;
    long delay = granted < asked ? Math.min(granted / 3, planned) : planned;
    return delay == NEVER ? NEVER : sentAt + delay;
  }

  // ---- what is due

  public boolean isDue(long now) {
    return isPlanned() && now - renewAt >= 0;
  }

  /** True if a renewal is planned and none is under way. */
  public boolean isPlanned() {
    return renewAt != NEVER && !underWay;
  }

  /** When the next renewal is due. */
  public long at() {
    return renewAt;
  }

  /** The time between two renewals; half of a lease that is shorter than that. */
  public long intervalNanos() {
    return Math.min(config.renewalTime().toNanos(), leaseNanos / 2);
  }

  /** Makes a planned renewal due now. */
  public void bringForward(long now) {
    if (isPlanned()) {
      renewAt = now;
    }
  }

  // ---- what has happened

  public void started(long now) {
    underWay = true;
    triedAt = now;
  }

  /**
   * A renewal was answered.
   *
   * @return false if one that was sent later was answered before
   */
  boolean answered(long sentAt, long askedNanos, long grantedNanos) {
    answered++;
    underWay = false;
    if (sentAt - confirmedAt < 0) {
      return false;
    }
    confirmedAt = sentAt;
    renewAt = next(sentAt, askedNanos, grantedNanos);
    return true;
  }

  public void failed(long retryAt) {
    failed++;
    renewAt = retryAt;
    underWay = false;
  }

  /** Renews now, whatever is planned or under way. */
  public void restart(long now) {
    restarted = true;
    renewAt = now;
    underWay = false;
  }

  /** True once, for the first outcome after {@link #restart}. */
  public boolean takeRestarted() {
    boolean was = restarted;
    restarted = false;
    return was;
  }

  // ---- for the watchdog

  /** When the lease was last begun: a clock reading before the store was asked for it. */
  public long confirmedAt() {
    return confirmedAt;
  }

  /** By how much a planned renewal is late; negative or zero if all is well. */
  public long lateBy(long now) {
    return renewing ? now - confirmedAt - config.renewalTime().toNanos() * 3 / 2 : -1;
  }

  /** True if it is late and not because attempts fail: none was made, or one got no answer. */
  public boolean isDead(long now) {
    return lateBy(now) > 0 && now - triedAt > config.renewalTime().toNanos() / 2;
  }

  /** How the renewals went, for people. */
  public String record() {
    return "%d of %d renewals were answered%s"
        .formatted(answered, answered + failed, underWay ? ", one is under way" : "");
  }
}
