package io.holdfast.internal;

import io.holdfast.LockConfig;
import io.holdfast.LossReason;
import io.holdfast.RecoveryStrategy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What this process has from the store: the right to a key from a grant until its release, loss or
 * deadline. Holds of this process follow each other inside one tenure, each with the next token of
 * its block.
 *
 * <pre>
 *   sent          granted in the store                              store may grant to another
 *    |-----------------|--------------------------------------------------|
 *    |<------------------- lease - drift -------------------->|
 *    |<-------- lease - drift - margin ------->|<-- margin -->|
 *                                          deadline
 *                          (isValid turns false, callbacks are sent)
 * </pre>
 *
 * <p>The deadline is counted from a clock reading before the request was sent, so it is earlier
 * than the store's even if request and reply take any time. Whoever reads the clock finds the
 * tenure invalid from then on, whether or not the timer and the callbacks have run. State moves
 * once, from live to ended or lost.
 */
final class Tenure {
  private enum Live {
    LIVE,
    ENDED,
    LOST
  }

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** A tenure passes from one hold to the next if the store has proved it within this time. */
  private static final long TRUST = Duration.ofSeconds(1).toNanos();

  private final TenureListener holder;
  private final Owner owner;
  private final LockConfig config;
  private final long leaseNanos;
  private final boolean renewing;
  private final TokenBlock tokens;
  private final long openedAt;
  private final AtomicReference<Live> live = new AtomicReference<>(Live.LIVE);

  private volatile Claim claim;
  private volatile long deadline;
  private volatile long earlyNanos;
  private volatile long renewAt;
  private volatile boolean renewalUnderWay;
  private volatile boolean renewalRestarted;
  private volatile long confirmedAt;
  private volatile long provedAt;
  private volatile boolean toBeProved;
  private volatile long renewalTriedAt;
  private volatile long checkedAt;
  private volatile boolean contended;
  private volatile @Nullable Long contenderSince;
  private volatile boolean lingers;
  private volatile @Nullable LossReason lossReason;
  private volatile @Nullable ForcedOrder forcedBy;

  // Counted without care, for people.
  private int renewals;
  private int failedRenewals;

  /** Guarded by the gate. */
  private long nextToken;

  private int handoffs;

  /**
   * @param asOf clock reading before the grant can have happened
   * @param grantedLease what the store gave; may be shorter than the demand's lease: a grant to be
   *     confirmed, or a store that keeps nothing for so long
   */
  Tenure(
      TenureListener holder,
      Owner owner,
      AcquireSpec spec,
      TokenBlock tokens,
      long asOf,
      Duration grantedLease,
      boolean contended,
      @Nullable Long contenderSince) {
    this.holder = holder;
    this.owner = owner;
    this.config = spec.config();
    this.claim = spec.claim();
    this.leaseNanos = spec.lease().toNanos();
    this.renewing = spec.renew();
    this.openedAt = asOf;
    this.confirmedAt = asOf;
    this.provedAt = asOf;
    this.renewalTriedAt = asOf;
    this.checkedAt = asOf;
    this.tokens = tokens;
    this.nextToken = tokens.first();
    this.contended = contended;
    this.contenderSince = contenderSince;
    believe(asOf, grantedLease);
    this.renewAt = nextRenewal(asOf, leaseNanos, grantedLease.toNanos());
  }

  /**
   * Sets the deadline, and how long before the end of the lease it lies. A tenure that is not
   * renewed ends at one time, however many pieces its lease comes in.
   */
  private void believe(long sentAt, Duration granted) {
    long end = sentAt + granted.toNanos();
    long until = sentAt + config.validity(granted).toNanos();
    if (!renewing) {
      long last = openedAt + config.validity(Duration.ofNanos(leaseNanos)).toNanos();
      if (last - until <= 0) {
        end = openedAt + leaseNanos;
        until = last;
      }
    }
    deadline = until;
    earlyNanos = end - until;
  }

  /** A lease that was not given in full is asked for again soon. */
  private long nextRenewal(long sentAt, long asked, long granted) {
    long planned = renewing ? config.renewalTime().toNanos() : Long.MAX_VALUE;
    long delay = granted < asked ? Math.min(granted / 3, planned) : planned;
    return delay == Long.MAX_VALUE ? Long.MAX_VALUE : sentAt + delay;
  }

  TenureListener holder() {
    return holder;
  }

  Resource resource() {
    return holder.resource();
  }

  Owner owner() {
    return owner;
  }

  LockConfig config() {
    return config;
  }

  /** True if it counts in this process alone. */
  boolean isDegraded() {
    return RoutedBackend.isLocal(owner);
  }

  boolean isLive() {
    return live.get() == Live.LIVE;
  }

  /** True while nobody else can have been given the key. */
  boolean isValid(long now) {
    return isLive() && now - deadline < 0;
  }

  long remainingNanos(long now) {
    return isLive() ? Math.max(0, deadline - now) : 0;
  }

  /** Ends it for a release; false if it was lost or ended before. */
  boolean end() {
    return live.compareAndSet(Live.LIVE, Live.ENDED);
  }

  /** Marks it lost; false if it was lost or ended before. */
  boolean lose(LossReason reason) {
    if (live.get() != Live.LIVE) {
      return false;
    }
    lossReason = reason;
    return live.compareAndSet(Live.LIVE, Live.LOST);
  }

  /** This process tries to open it by force. */
  void forcedBy(ForcedOrder order) {
    forcedBy = order;
  }

  /** That order has failed; another may be under way. */
  void notForcedBy(ForcedOrder failed) {
    if (forcedBy == failed) {
      forcedBy = null;
    }
  }

  /** The order of this process to open it by force, if there is one. */
  @Nullable ForcedOrder forcedBy() {
    return forcedBy;
  }

  LossReason lossReason() {
    LossReason reason = lossReason;
    return reason != null ? reason : LossReason.GONE_FROM_STORE;
  }

  /** The reason to give when the deadline passes. */
  LossReason reasonAtDeadline() {
    return renewing ? LossReason.NOT_RENEWED : LossReason.LEASE_EXPIRED;
  }

  // ---- renewal

  boolean isRenewalDue(long now) {
    return awaitsRenewal() && now - renewAt >= 0;
  }

  /** True if a renewal is planned, not under way. */
  boolean awaitsRenewal() {
    return renewAt != Long.MAX_VALUE && !renewalUnderWay;
  }

  /** Makes a planned renewal due now. */
  void bringForward(long now) {
    if (awaitsRenewal()) {
      renewAt = now;
    }
  }

  void renewalStarted(long now) {
    renewalUnderWay = true;
    renewalTriedAt = now;
  }

  /** Asks for the lease anew: the whole of it, or what is left of one that is not renewed. */
  RenewRequest renewRequest(long now) {
    boolean resume = config.recoveryStrategy().allows(RecoveryStrategy.Action.REACQUIRE);
    RenewRequest.Resumption resumption = resume ? new RenewRequest.Resumption(tokens, "") : null;
    return new RenewRequest(resource(), owner, claim, renewalLeaseMillis(now), resumption);
  }

  /** How much of the resource it claims. */
  Claim claim() {
    return claim;
  }

  /** From now on less is claimed; the store hears it with the next renewal. */
  void lessen(Claim less) {
    claim = less;
  }

  private long renewalLeaseMillis(long now) {
    long nanos = renewing ? leaseNanos : openedAt + leaseNanos - now;
    return Math.max(1, nanos / NANOS_PER_MILLI);
  }

  void renewed(long sentAt, long askedMillis, long grantedMillis, boolean nowWanted) {
    renewals++;
    renewalUnderWay = false;
    proved(sentAt);
    if (nowWanted) {
      contended(null); // and stays so: the answer may be older than the news
    }
    if (sentAt - confirmedAt >= 0) { // else another that was sent later was answered first
      Duration granted = Duration.ofMillis(grantedMillis);
      believe(sentAt, granted);
      confirmedAt = sentAt;
      renewAt = nextRenewal(sentAt, askedMillis * NANOS_PER_MILLI, grantedMillis * NANOS_PER_MILLI);
    }
  }

  void renewalFailed(long retryAt) {
    failedRenewals++;
    renewAt = retryAt;
    renewalUnderWay = false;
  }

  /** What was planned or is under way is not believed in any more: renews now. */
  void restartRenewal(long now) {
    renewalRestarted = true;
    renewAt = now;
    renewalUnderWay = false;
  }

  /** True once, for the first outcome after {@link #restartRenewal}. */
  boolean takeRestarted() {
    boolean restarted = renewalRestarted;
    renewalRestarted = false;
    return restarted;
  }

  // ---- for the watchdog

  boolean isRenewing() {
    return renewing;
  }

  /** When its lease was last begun: a clock reading before the store was asked for it. */
  long confirmedAt() {
    return confirmedAt;
  }

  /**
   * When the store is known to have had it: a clock reading before it was asked, be it for the
   * lease or only whether this owner still holds.
   */
  long provedAt() {
    return provedAt;
  }

  /** The store was asked after this clock reading and knew it. */
  void proved(long askedAt) {
    if (askedAt - provedAt > 0) {
      provedAt = askedAt;
    }
  }

  /** Wants a proof that is newer than now; false if one is waited for already. */
  boolean wantProof() {
    if (toBeProved) {
      return false;
    }
    toBeProved = true;
    return true;
  }

  /** The store is asked after this; who wants a proof from now on wants another. */
  void proofBegins() {
    toBeProved = false;
  }

  private boolean isTrusted(long now) {
    return now - provedAt <= TRUST;
  }

  /** By how much a planned renewal has not happened; negative or zero if all is well. */
  long renewalLateBy(long now) {
    return renewing ? now - confirmedAt - config.renewalTime().toNanos() * 3 / 2 : -1;
  }

  /** True if it is late and not because tries fail: none was made, or one got no answer at all. */
  boolean isRenewalDead(long now) {
    return renewalLateBy(now) > 0 && now - renewalTriedAt > config.renewalTime().toNanos() / 2;
  }

  String renewalRecord() {
    return "%d of %d renewals were answered%s"
        .formatted(
            renewals, renewals + failedRenewals, renewalUnderWay ? ", one is under way" : "");
  }

  /** True if it is time for the next check, which is noted. */
  boolean takeCheck(long now) {
    if (now - checkedAt < config.watchdogPeriod().toNanos() / 10 * 9) {
      return false;
    }
    checkedAt = now;
    return true;
  }

  long leaseNanos() {
    return leaseNanos;
  }

  /** From the deadline to the end of the lease as counted here. */
  long earlyNanos() {
    return earlyNanos;
  }

  long deadline() {
    return deadline;
  }

  long renewAt() {
    return renewAt;
  }

  long renewalTimeNanos() {
    return Math.min(config.renewalTime().toNanos(), leaseNanos / 2);
  }

  // ---- handing on inside this process; guarded by the gate, or by what stands in its place

  /**
   * True if a hold with this demand can follow without asking the store.
   *
   * @param cameAt since when it is asked for
   */
  boolean fits(AcquireSpec spec, long cameAt, long now) {
    return fits(spec, now) && !(spec.config().fair() && cameAfterOthers(cameAt));
  }

  /** The same where order does not matter. */
  boolean fits(AcquireSpec spec, long now) {
    return renewing
        && !isDegraded() // the store is asked anew, it may be back
        && spec.renew()
        && spec.lease().toNanos() == leaseNanos
        && hasToken()
        && isTrusted(now)
        && isValid(now);
  }

  /** The token of the next hold. Only after {@link #fits}, or for the first hold. */
  long takeToken() {
    return nextToken++;
  }

  /** True for the token of the hold that the store granted, not of one that followed it. */
  boolean isFirst(long token) {
    return token == tokens.first();
  }

  private boolean mayStay(long now) {
    return renewing && !isDegraded() && hasToken() && isValid(now);
  }

  private boolean hasToken() {
    return nextToken <= tokens.last();
  }

  /** True if the key may stay in this process for the next local waiter. */
  boolean mayHandOn(boolean fair, long now) {
    boolean within =
        handoffs < config.handoffLimit() && now - openedAt < config.handoffTime().toNanos();
    return mayStay(now) && isTrusted(now) && (!contended || (!fair && within));
  }

  /** The same in strict order, for a local waiter who came at this time. */
  boolean mayHandOnTo(long cameAt, long now) {
    return mayStay(now)
        && isTrusted(now)
        && (!contended || (contenderSince != null && !cameAfterOthers(cameAt)));
  }

  /** True if somebody of another process is known to have come first. */
  private boolean cameAfterOthers(long cameAt) {
    Long since = contenderSince;
    return contended && since != null && cameAt - since >= 0;
  }

  /** True if it may stay in this process although nobody waits for it here. */
  boolean mayLinger(long now) {
    return !config.linger().isZero() && !contended && mayStay(now);
  }

  void startLingering() {
    lingers = true;
  }

  /** Somebody uses it again. */
  void stopLingering() {
    lingers = false;
  }

  /** True if it was left here to linger and nobody has used it since. */
  boolean lingers() {
    return lingers;
  }

  void handedOn() {
    handoffs++;
  }

  boolean isContended() {
    return contended;
  }

  /**
   * Somebody else waits for it.
   *
   * @param since about when that one came, null if that is not known; the first counts
   */
  void contended(@Nullable Long since) {
    noteFirst(since);
    contended = true;
    holder.tenureContended(this);
  }

  private synchronized void noteFirst(@Nullable Long since) {
    Long known = contenderSince;
    if (since != null && (known == null || since - known < 0)) {
      contenderSince = since;
    }
  }

  /** The same when its holder knows already. */
  void noteContention() {
    contended = true;
  }

  /** A clock reading before it was granted. */
  long openedAt() {
    return openedAt;
  }
}
