package io.holdfast.internal.lease;

import io.holdfast.LockConfig;
import io.holdfast.LossReason;
import io.holdfast.RecoveryStrategy;
import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.base.RoutedBackend;
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
public final class Tenure {
  /**
   * How it ended: state and reason in one, so that only whoever ends it says why.
   *
   * @param lost why it was lost, null if it was released
   */
  private record End(@Nullable LossReason lost) {}

  private static final End RELEASED = new End(null);

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
  private final RenewalPlan renewal;
  private final HandoffPolicy handoff;
  private final AtomicReference<@Nullable End> end = new AtomicReference<>(); // null while it lives

  private volatile Claim claim;
  private volatile long deadline;
  private volatile long earlyNanos;
  private volatile long provedAt;
  private volatile boolean toBeProved;
  private volatile long checkedAt;
  private volatile @Nullable ForcedOrder forcedBy;

  /** Guarded by the gate. */
  private long nextToken;

  /**
   * @param asOf clock reading before the grant can have happened
   * @param grantedLease what the store gave; may be shorter than the demand's lease: a grant to be
   *     confirmed, or a store that keeps nothing for so long
   */
  public Tenure(
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
    this.provedAt = asOf;
    this.checkedAt = asOf;
    this.tokens = tokens;
    this.nextToken = tokens.first();
    this.renewal = new RenewalPlan(config, leaseNanos, renewing, asOf, grantedLease.toNanos());
    this.handoff = new HandoffPolicy(this, contended, contenderSince);
    believe(asOf, grantedLease);
  }

  /**
   * Sets the deadline, and how long before the end of the lease it lies. A tenure that is not
   * renewed ends at one time, however many pieces its lease comes in.
   */
  private void believe(long sentAt, Duration granted) {
    long end = sentAt + granted.toNanos();
    long until = sentAt + LockRules.validity(config, granted).toNanos();
    if (!renewing) {
      long last = openedAt + LockRules.validity(config, Duration.ofNanos(leaseNanos)).toNanos();
      if (last - until <= 0) {
        end = openedAt + leaseNanos;
        until = last;
      }
    }
    deadline = until;
    earlyNanos = end - until;
  }

  public TenureListener holder() {
    return holder;
  }

  public Resource resource() {
    return holder.resource();
  }

  public Owner owner() {
    return owner;
  }

  public LockConfig config() {
    return config;
  }

  /** True if it counts in this process alone. */
  public boolean isDegraded() {
    return RoutedBackend.isLocal(owner);
  }

  public boolean isLive() {
    return end.get() == null;
  }

  /** True while nobody else can have been given the key. */
  public boolean isValid(long now) {
    return isLive() && now - deadline < 0;
  }

  public long remainingNanos(long now) {
    return isLive() ? Math.max(0, deadline - now) : 0;
  }

  /** Ends it for a release; false if it was lost or ended before. */
  public boolean end() {
    return end.compareAndSet(null, RELEASED);
  }

  /** Marks it lost; false if it was lost or ended before. */
  public boolean lose(LossReason reason) {
    return isLive() && end.compareAndSet(null, new End(reason));
  }

  /** This process tries to open it by force. */
  public void forcedBy(ForcedOrder order) {
    forcedBy = order;
  }

  /** That order has failed; another may be under way. */
  public void notForcedBy(ForcedOrder failed) {
    if (forcedBy == failed) {
      forcedBy = null;
    }
  }

  /** The order of this process to open it by force, if there is one. */
  public @Nullable ForcedOrder forcedBy() {
    return forcedBy;
  }

  public LossReason lossReason() {
    End known = end.get();
    LossReason reason = known == null ? null : known.lost();
    return reason != null ? reason : LossReason.GONE_FROM_STORE;
  }

  /** The reason to give when the deadline passes. */
  public LossReason reasonAtDeadline() {
    return renewing ? LossReason.NOT_RENEWED : LossReason.LEASE_EXPIRED;
  }

  // ---- renewal

  /** When it is renewed next, and how that went so far. */
  public RenewalPlan renewal() {
    return renewal;
  }

  /** Whether it may stay in this process. */
  public HandoffPolicy handoff() {
    return handoff;
  }

  /** Asks for the lease anew: the whole of it, or what is left of one that is not renewed. */
  public RenewRequest renewRequest(long now) {
    boolean resume = config.recoveryStrategy().allows(RecoveryStrategy.Action.REACQUIRE);
    RenewRequest.Resumption resumption = resume ? new RenewRequest.Resumption(tokens, "") : null;
    return new RenewRequest(resource(), owner, claim, renewalLeaseMillis(now), resumption);
  }

  /** How much of the resource it claims. */
  public Claim claim() {
    return claim;
  }

  /** From now on less is claimed; the store hears it with the next renewal. */
  public void lessen(Claim less) {
    claim = less;
  }

  private long renewalLeaseMillis(long now) {
    long nanos = renewing ? leaseNanos : openedAt + leaseNanos - now;
    return Math.max(1, nanos / NANOS_PER_MILLI);
  }

  /** The store has renewed it. */
  public void renewed(long sentAt, long askedMillis, long grantedMillis, boolean nowContended) {
    proved(sentAt);
    if (nowContended) {
      contended(null); // and stays so: the answer may be older than the news
    }
    long granted = grantedMillis * NANOS_PER_MILLI;
    if (renewal.answered(sentAt, askedMillis * NANOS_PER_MILLI, granted)) {
      believe(sentAt, Duration.ofNanos(granted));
    }
  }

  // ---- for the watchdog

  public boolean isRenewing() {
    return renewing;
  }

  /**
   * When the store is known to have had it: a clock reading before it was asked, be it for the
   * lease or only whether this owner still holds.
   */
  public long provedAt() {
    return provedAt;
  }

  /** The store was asked after this clock reading and knew it. */
  public void proved(long askedAt) {
    if (askedAt - provedAt > 0) {
      provedAt = askedAt;
    }
  }

  /** Wants a proof that is newer than now; false if one is waited for already. */
  public boolean wantProof() {
    if (toBeProved) {
      return false;
    }
    toBeProved = true;
    return true;
  }

  /** The store is asked after this; who wants a proof from now on wants another. */
  public void proofBegins() {
    toBeProved = false;
  }

  /** True if the store has proved it lately enough for another hold to follow. */
  boolean isTrusted(long now) {
    return now - provedAt <= TRUST;
  }

  /** True if it is time for the next check, which is noted. */
  public boolean takeCheck(long now) {
    if (now - checkedAt < config.watchdogPeriod().toNanos() / 10 * 9) {
      return false;
    }
    checkedAt = now;
    return true;
  }

  public long leaseNanos() {
    return leaseNanos;
  }

  /** From the deadline to the end of the lease as counted here. */
  public long earlyNanos() {
    return earlyNanos;
  }

  public long deadline() {
    return deadline;
  }

  // ---- handing on inside this process; guarded by the gate, or by what stands in its place

  /** The token of the next hold. Only after {@link HandoffPolicy#fits}, or for the first hold. */
  public long takeToken() {
    return nextToken++;
  }

  /** True for the token of the hold that the store granted, not of one that followed it. */
  public boolean isFirst(long token) {
    return token == tokens.first();
  }

  /** True if there is a token for another hold. */
  boolean hasToken() {
    return nextToken <= tokens.last();
  }

  /** True if another process is known to wait for it. */
  public boolean isContended() {
    return handoff.isContended();
  }

  /**
   * Another process waits for it.
   *
   * @param since about when its waiter arrived, null if that is not known; the first counts
   */
  public void contended(@Nullable Long since) {
    handoff.noteContender(since);
    holder.tenureContended(this);
  }

  /** A clock reading before it was granted. */
  public long openedAt() {
    return openedAt;
  }
}
