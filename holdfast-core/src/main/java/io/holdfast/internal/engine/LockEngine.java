package io.holdfast.internal.engine;

import static java.util.stream.Collectors.joining;

import io.holdfast.DeadlockVictim;
import io.holdfast.LockHealth;
import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.base.Closing;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.PinnedLocks;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which process has a lock, together with the store. Everything here is driven by callbacks
 * and never blocks: acquisitions wait in {@link Acquisition}, releases are repeated in {@link
 * Release}, leases are kept by {@link RenewalManager}. Signals of the store arrive here and are
 * passed on to whom they concern.
 */
public final class LockEngine implements BackendSignals {
  private static final Logger log = LoggerFactory.getLogger(LockEngine.class);
  private static final int MOST_NAMED = 10;
  private static final Duration PATIENCE_OF_DISCONNECT = Duration.ofSeconds(15);

  private final Context context;
  private final RenewalManager renewals;
  private final Supervisor supervisor;
  private final Confirmations confirmations;
  private final DeadlockVictim deadlockVictim;
  private final Map<String, Acquisition> acquisitions = new ConcurrentHashMap<>();
  private final Set<Acquisition> unanswered = ConcurrentHashMap.newKeySet();
  private final Set<Release> releasesUnderWay = ConcurrentHashMap.newKeySet();
  private final PinnedLocks keptLocks = new PinnedLocks();
  private final OutageTimer silence = new OutageTimer();
  private final StoreQueries queries;
  private final ForcedRelease forcedRelease;
  private final MultiRequests multiRequests;
  private final AtomicLong reconnects = new AtomicLong();
  private volatile boolean degraded;

  /**
   * Opens the store and starts.
   *
   * @param supervision starts what looks after the engine
   */
  public LockEngine(
      Context context,
      LockBackendProvider provider,
      String url,
      Function<LockEngine, ? extends Supervisor> supervision,
      DeadlockVictim deadlockVictim) {
    this.context = context;
    this.queries = new StoreQueries(context);
    this.renewals = new RenewalManager(this);
    this.forcedRelease = new ForcedRelease(this);
    this.multiRequests = new MultiRequests(this);
    this.deadlockVictim = deadlockVictim;
    context.open(provider, url, this);
    try {
      this.supervisor = supervision.apply(this);
      this.confirmations = new Confirmations(context, supervisor);
    } catch (RuntimeException | Error e) {
      disconnect();
      throw e;
    }
  }

  /** What it shares with everyone else. */
  public Context context() {
    return context;
  }

  public RenewalManager renewals() {
    return renewals;
  }

  /** Proves in the background what stays in this process from one hold to the next. */
  public Confirmations confirmations() {
    return confirmations;
  }

  public PinnedLocks keptLocks() {
    return keptLocks;
  }

  /** For how long the store has not answered. */
  OutageTimer silence() {
    return silence;
  }

  /** What a caller asks the store, without taking anything. */
  public StoreQueries queries() {
    return queries;
  }

  /** What an operator orders. */
  public ForcedRelease forcedRelease() {
    return forcedRelease;
  }

  public MultiRequests multiRequests() {
    return multiRequests;
  }

  /** Everyone of this process who is on the way to the store. */
  public Collection<Acquisition> acquisitions() {
    return acquisitions.values();
  }

  /** The tenure of this owner, if this process has it. */
  public @Nullable Tenure findTenure(Owner owner) {
    return renewals.find(owner.tenureId());
  }

  public DeadlockVictim deadlockVictim() {
    return deadlockVictim;
  }

  public long reconnects() {
    return reconnects.get();
  }

  /** What the store is called. */
  public String name() {
    return context.backend().engine();
  }

  /** How everything is. */
  public LockHealth health() {
    return supervisor.health();
  }

  // ---- acquire

  /** False if the store is known not to answer. */
  boolean storeAnswers() {
    return supervisor.storeAnswers();
  }

  /** An acquisition goes on under another owner. */
  void rename(Acquisition acquisition, Owner before) {
    acquisitions.put(acquisition.owner().tenureId(), acquisition); // known at every moment
    acquisitions.remove(before.tenureId(), acquisition);
  }

  /** Sets out for a resource, for a new owner. */
  public Acquisition acquire(
      TenureListener holder, Owner owner, AcquireSpec spec, Thread thread, long arrivedAt) {
    Acquisition acquisition = new Acquisition(this, holder, owner, spec, thread, arrivedAt);
    acquisitions.put(owner.tenureId(), acquisition);
    if (context.isClosed()) {
      acquisition.close();
    } else {
      acquisition.attempt();
    }
    return acquisition;
  }

  /** A grant has come: it is watched before its acquisition is forgotten, so it is always known. */
  void opened(Tenure tenure, Acquisition acquisition) {
    renewals.startRenewal(tenure);
    forget(acquisition);
    tenureStarted(tenure);
    if (context.isClosed()) {
      loseAndRelease(tenure, LossReason.MANAGER_CLOSED);
    }
  }

  /** It is held from now on, and renewed. */
  void tenureStarted(Tenure granted) {
    supervisor.tenureStarted(granted);
    if (granted.isDegraded()) {
      degraded = true;
      context.events().degraded(granted);
    } else if (degraded) {
      degraded = false;
      context.events().normalAgain(granted);
    }
  }

  /** It was granted by a signal while an attempt is under way, which may yet take effect. */
  void awaitAnswer(Acquisition acquisition) {
    unanswered.add(acquisition);
    acquisition.settled().whenComplete((done, fault) -> unanswered.remove(acquisition));
  }

  void forget(Acquisition acquisition) {
    acquisitions.remove(acquisition.owner().tenureId(), acquisition);
  }

  // ---- release

  /** Ends a tenure and gives the lock back; the answer of the first try. */
  public CompletableFuture<ReleaseResult> release(Tenure tenure) {
    Release release = end(tenure, tenure.isContended());
    release.attempt();
    return release.firstAnswer();
  }

  private Release end(Tenure tenure, boolean contended) {
    Release release = newRelease(tenure, contended);
    track(release); // before the end: who sees that it has ended finds its release
    tenure.end();
    renewals.stopRenewal(tenure);
    return release;
  }

  /**
   * Ends a tenure and gives the lock back, and sets out for it anew for somebody else of this
   * process.
   */
  public CompletableFuture<ReleaseResult> release(Tenure tenure, Acquisition successor) {
    Release release = end(tenure, false); // its successor's request is sent with it
    acquisitions.put(successor.owner().tenureId(), successor);
    if (context.isClosed()) {
      successor.close();
    }
    Acquisition.AttemptUnderWay next = successor.beginAttempt();
    if (next == null) {
      release.attempt(); // the manager is closed
      return release.firstAnswer();
    }
    try {
      LockBackend.ReleaseAndAcquire replies =
          context.backend().releaseAndAcquire(release.request(), next.request());
      successor.follow(next, replies.acquired());
      release.follow(replies.released());
    } catch (RuntimeException | Error e) {
      successor.follow(next, CompletableFuture.failedFuture(e));
      release.attempt(); // a second release does no harm
    }
    return release.firstAnswer();
  }

  /** Gives up an acquisition that nobody waits for any more, and what it has got. */
  public void giveUp(Acquisition unused) {
    if (!unused.abandon()) {
      unused
          .result()
          .whenComplete(
              (tenure, fault) -> {
                if (tenure != null && tenure.isLive()) {
                  release(tenure);
                }
              });
    }
  }

  /** Clears the store of an owner that may or may not have the lock or wait for it. */
  CompletableFuture<@Nullable Void> giveBack(Resource resource, Owner owner, Duration lease) {
    return clear(resource, owner, lease).settled();
  }

  /** The same, for whoever waits for the first answer only. */
  Release clear(Resource resource, Owner owner, Duration lease) {
    Release release = new Release(this, resource, owner, context.now() + lease.toNanos(), false);
    track(release);
    release.attempt();
    return release;
  }

  /** Completes when no release for this owner is under way any more. */
  public CompletableFuture<Void> settled(Owner owner) {
    return allOf(
        releasesUnderWay.stream()
            .filter(release -> release.owner().equals(owner))
            .map(Release::settled)
            .toList());
  }

  private void loseAndRelease(Tenure tenure, LossReason reason) {
    Release release = newRelease(tenure, tenure.isContended());
    track(release); // before the end: close() waits for every tenure it sees, or for its release
    try {
      lose(tenure, reason);
    } finally {
      release.attempt(); // whatever goes wrong in telling it
    }
  }

  /** Until its lease is over even if a renewal was executed just now. */
  private Release newRelease(Tenure tenure, boolean contended) {
    long end = context.now() + tenure.leaseNanos();
    return new Release(this, tenure.resource(), tenure.owner(), end, contended);
  }

  private void track(Release release) {
    releasesUnderWay.add(release);
    release.settled().whenComplete((done, fault) -> releasesUnderWay.remove(release));
  }

  /**
   * Lessens what a live tenure claims, as from write to read. Until the store has answered it
   * claims more there than it needs, which harms nobody but those who wait; so this is repeated
   * until then.
   */
  public CompletableFuture<@Nullable Void> lessen(Tenure tenure, Claim claim) {
    tenure.lessen(claim);
    ClaimReduction lessening = new ClaimReduction(this, tenure);
    lessening.attempt();
    return lessening.firstAnswer();
  }

  // ---- loss

  /**
   * Ends a tenure that is not ours any more and tells its holder. If only the deadline has passed,
   * the store may have a renewal whose answer was lost: once its lease would be over by our own
   * count, the tenure is given back there, so that nobody waits for longer.
   */
  public void lose(Tenure tenure, LossReason reason) {
    if (!tenure.lose(reason)) {
      return;
    }
    renewals.stopRenewal(tenure);
    if (tenure.renewal().takeRestarted()) {
      context.events().recoveryFailed(Action.RESTART_RENEWAL, tenure, "lost: " + reason);
    }
    tenure.holder().tenureLost(tenure);
    if (reason == LossReason.NOT_RENEWED || reason == LossReason.LEASE_EXPIRED) {
      Duration lease = tenure.config().leaseTime();
      context
          .scheduler()
          .schedule(tenure.earlyNanos(), () -> giveBack(tenure.resource(), tenure.owner(), lease));
    }
  }

  /** The store has said that a tenure is not ours and, where that is allowed, not taken it back. */
  public void goneFromStore(Tenure tenure) {
    if (tenure.isLive() && tenure.config().recoveryStrategy().allows(Action.REACQUIRE)) {
      context
          .events()
          .recoveryFailed(
              Action.REACQUIRE, tenure, "somebody has held it meanwhile, or the store cannot tell");
    }
    lose(tenure, LossReason.GONE_FROM_STORE);
  }

  /**
   * A tenure had vanished from the store and is back, and nobody had it in between. If it was given
   * up meanwhile, its release found nothing: it is given back now.
   */
  public void resumed(Tenure tenure) {
    if (tenure.isLive()) {
      supervisor.tenureResumed(tenure);
    } else {
      giveBack(tenure.resource(), tenure.owner(), Duration.ofNanos(tenure.leaseNanos()));
    }
  }

  /** Gives up a tenure that is of no use any more, because something that belongs to it is lost. */
  public void losePart(Tenure tenure) {
    if (tenure.isLive()) {
      loseAndRelease(tenure, LossReason.PART_LOST);
    }
  }

  /** The story of a loss. */
  public LockLoss describe(Hold lost, String key, LossReason reason) {
    Duration held = Duration.ofNanos(context.now() - lost.since);
    String kind = lost.tenure.resource().kind().label();
    return new LockLoss(kind, key, lost.token, reason, context.time().now(), held);
  }

  // ---- signals of the store

  @Override
  public void granted(Resource resource, Owner owner, PushedGrant grant) {
    Acquisition acquisition = acquisitions.get(owner.tenureId());
    if (acquisition != null && acquisition.resource().equals(resource)) {
      acquisition.granted(owner, grant);
    } else if (renewals.find(owner.tenureId()) == null) {
      log.debug("{}: granted to {} which does not wait any more", resource, owner);
      giveBack(resource, owner, Duration.ofMillis(grant.leaseMillis()));
    }
  }

  @Override
  public void changed(Owner waiter) {
    Acquisition acquisition = acquisitions.get(waiter.tenureId());
    if (acquisition != null) {
      acquisition.signalled();
    }
  }

  @Override
  public void contended(Owner holder) {
    contended(holder, null);
  }

  @Override
  public void contended(Owner holder, long sinceNanos) {
    contended(holder, Long.valueOf(sinceNanos));
  }

  private void contended(Owner holder, @Nullable Long since) {
    Acquisition acquisition = acquisitions.get(holder.tenureId());
    if (acquisition != null) {
      acquisition.contendedBeforeGrant(since); // the news of its grant is still under way
    }
    Tenure tenure = renewals.find(holder.tenureId());
    if (tenure != null) {
      tenure.contended(since);
    }
  }

  @Override
  public void lost(Owner holder) {
    Tenure tenure = renewals.find(holder.tenureId());
    if (tenure != null) {
      supervisor.tenureGone(tenure);
    }
  }

  @Override
  public void reconnected() {
    reconnects.incrementAndGet();
    renewals.renewSoon();
    acquisitions.values().forEach(Acquisition::signalled);
  }

  @Override
  public void messagesLost(String why) {
    supervisor.messagesLost(why);
  }

  @Override
  public void messagesBack() {
    supervisor.messagesBack();
    reconnected();
  }

  @Override
  public boolean isAnybodyInterested() {
    return !acquisitions.isEmpty() || !renewals.tenures().isEmpty();
  }

  // ---- the end

  /**
   * Fails everyone who waits, tells every holder, and gives all locks back.
   *
   * @param patience how long to wait until the store has answered
   */
  public void close(Duration patience) {
    context.close();
    supervisor.stop();
    List<CompletableFuture<?>> open = new ArrayList<>();
    for (Acquisition acquisition : acquisitions.values()) {
      Closing.step("end a wait", acquisition::close);
      open.add(acquisition.settled());
    }
    unanswered.forEach(acquisition -> open.add(acquisition.settled()));
    open.addAll(multiRequests.underWay());
    Collection<Tenure> held = renewals.tenures();
    Closing.step("tell what is held", () -> tellHeld(held));
    for (Tenure tenure : held) {
      Closing.step("give back a lock", () -> loseAndRelease(tenure, LossReason.MANAGER_CLOSED));
    }
    CompletableFuture<Void> all = allOf(open).thenCompose(done -> allReleased());
    try {
      Awaits.awaitUninterruptibly(context.backend(), all, patience.toNanos());
    } catch (TimeoutException e) {
      log.warn("not every lock could be given back in time; the rest ends with its lease");
    }
  }

  /** One line for all: to close a manager that holds locks is not a fault. */
  private static void tellHeld(Collection<Tenure> tenures) {
    List<Resource> held =
        tenures.stream()
            .filter(tenure -> !tenure.holder().holdsIn(tenure).isEmpty())
            .map(Tenure::resource)
            .toList();
    if (!held.isEmpty()) {
      log.info(
          "the lock manager is closed while it holds {}{}, which it gives back",
          held.stream().limit(MOST_NAMED).map(Resource::toString).collect(joining(", ")),
          held.size() > MOST_NAMED ? " and " + (held.size() - MOST_NAMED) + " more" : "");
    }
  }

  private CompletableFuture<Void> allReleased() {
    return allOf(releasesUnderWay.stream().map(Release::settled).toList());
  }

  private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
  }

  /** Closes the connection to the store. */
  public void disconnect() {
    Closing.stepApart(
        "disconnect from the store", context.backend()::close, PATIENCE_OF_DISCONNECT);
  }
}
