package io.holdfast.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * Whether a {@link Tenure} may stay in this process for the next local hold, or has to go back to
 * the store because other processes wait. Guarded by the gate of its lock, or by the monitor that
 * stands in its place; contention is noted from any thread.
 *
 * <pre>
 *   nobody else waits            it stays for as many local holds as want it
 *   others wait, not fair        it stays for handoffLimit holds and handoffTime
 *   others wait, fair            it stays for local waiters that arrived before the first of them
 *   no proof by the store within the trust of {@link Tenure}: it goes back
 * </pre>
 */
public final class HandoffPolicy {
  private final Tenure tenure;
  private volatile boolean contended;
  private volatile @Nullable Long contenderSince;
  private volatile boolean lingers;
  private int handoffs;

  HandoffPolicy(Tenure tenure, boolean contended, @Nullable Long contenderSince) {
    this.tenure = tenure;
    this.contended = contended;
    this.contenderSince = contenderSince;
  }

  // ---- contention

  /** True if another process is known to wait. */
  boolean isContended() {
    return contended;
  }

  /**
   * Another process waits.
   *
   * @param since about when its waiter arrived, null if that is not known; the first counts
   */
  public void noteContender(@Nullable Long since) {
    if (since != null) {
      noteFirst(since);
    }
    contended = true;
  }

  private synchronized void noteFirst(long since) {
    Long known = contenderSince;
    if (known == null || since - known < 0) {
      contenderSince = since;
    }
  }

  private boolean cameAfterOthers(long cameAt) {
    Long since = contenderSince;
    return contended && since != null && cameAt - since >= 0;
  }

  // ---- staying here

  /**
   * True if a hold with this spec can follow without asking the store.
   *
   * @param cameAt since when it is wanted
   */
  public boolean fits(AcquireSpec spec, long cameAt, long now) {
    return fits(spec, now) && !(spec.config().fair() && cameAfterOthers(cameAt));
  }

  /** The same where order does not matter. */
  public boolean fits(AcquireSpec spec, long now) {
    return mayStay(now) // a process-local tenure does not: the store may be back
        && spec.renew()
        && spec.lease().toNanos() == tenure.leaseNanos()
        && tenure.isTrusted(now);
  }

  /** True if the lock may stay in this process for the next local waiter. */
  public boolean mayHandOn(boolean fair, long now) {
    boolean within =
        handoffs < tenure.config().handoffLimit()
            && now - tenure.openedAt() < tenure.config().handoffTime().toNanos();
    return mayStay(now) && tenure.isTrusted(now) && (!contended || (!fair && within));
  }

  /** The same in strict order, for a local waiter that arrived at this time. */
  public boolean mayHandOnTo(long cameAt, long now) {
    return mayStay(now)
        && tenure.isTrusted(now)
        && (!contended || (contenderSince != null && !cameAfterOthers(cameAt)));
  }

  private boolean mayStay(long now) {
    return tenure.isRenewing() && !tenure.isDegraded() && tenure.hasToken() && tenure.isValid(now);
  }

  public void handedOn() {
    handoffs++;
  }

  // ---- staying here without a holder

  /** True if it may stay although nobody waits for it here. */
  public boolean mayLinger(long now) {
    return !tenure.config().linger().isZero() && !contended && mayStay(now);
  }

  public void startLingering() {
    lingers = true;
  }

  public void stopLingering() {
    lingers = false;
  }

  /** True if it was left to linger and no hold has used it since. */
  public boolean lingers() {
    return lingers;
  }
}
