package io.holdfast.internal;

import static java.util.stream.Collectors.joining;

import io.holdfast.DeadlockVictim;
import io.holdfast.LockConfig;
import io.holdfast.LockHealth;
import io.holdfast.LockLoss;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LossReason;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendSignals;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
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
  /** What nobody waits for. */
  private static final CompletableFuture<?> NOTHING = new CompletableFuture<>();

  private static final Logger log = LoggerFactory.getLogger(LockEngine.class);
  private static final int MOST_NAMED = 10;
  private static final Duration PATIENCE_OF_DISCONNECT = Duration.ofSeconds(15);

  private final ClientIdentity identity;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Callbacks callbacks;
  private final EventBus events;
  private final TenureIds tenureIds;
  private final RenewalManager renewals = new RenewalManager(this);
  private final Watchdog watchdog;
  private final DeadlockVictim deadlockVictim;
  private final Map<String, Acquisition> acquisitions = new ConcurrentHashMap<>();
  private final Set<Acquisition> unanswered = ConcurrentHashMap.newKeySet();
  private final Set<Release> releasesUnderWay = ConcurrentHashMap.newKeySet();
  private final PinnedLocks keptLocks = new PinnedLocks();
  private final OutageTimer silence = new OutageTimer();
  private final StoreQueries queries = new StoreQueries(this);
  private final ForcedRelease forcedRelease = new ForcedRelease(this);
  private final MultiRequests multiRequests = new MultiRequests(this);
  private final LockBackend backend;
  private final AtomicLong reconnects = new AtomicLong();
  private volatile boolean degraded;
  private volatile boolean closed;

  /** Opens the store and starts. */
  public LockEngine(
      LockBackendProvider provider,
      String url,
      ClientIdentity identity,
      TimeSource time,
      Scheduler scheduler,
      Callbacks callbacks,
      EventBus events,
      LockConfig defaults,
      DeadlockVictim deadlockVictim,
      RandomGenerator random) {
    this.identity = identity;
    this.tenureIds = new TenureIds(random);
    this.deadlockVictim = deadlockVictim;
    this.time = time;
    this.scheduler = scheduler;
    this.callbacks = callbacks;
    this.events = events;
    BackendContext context = new BackendContext(identity, this, time, scheduler);
    this.backend = new RoutedBackend(provider.open(url, context), context);
    try {
      this.watchdog = new Watchdog(this, defaults);
      watchdog.start();
    } catch (RuntimeException | Error e) {
      disconnect();
      throw e;
    }
  }

  LockBackend backend() {
    return backend;
  }

  TimeSource time() {
    return time;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  EventBus events() {
    return events;
  }

  /** Where the futures of the application are completed, and with them what it chains to them. */
  Executor callbacks() {
    return callbacks.futures();
  }

  /** The same for answers that such a chain may wait for. */
  Executor answers() {
    return callbacks.answers();
  }

  /** Where the application is told of losses: never behind its futures. */
  Executor news() {
    return callbacks.news();
  }

  ClientIdentity identity() {
    return identity;
  }

  RenewalManager renewals() {
    return renewals;
  }

  /** Proves in the background what stays in this process from one hold to the next. */
  Confirmations confirmations() {
    return watchdog.confirmations();
  }

  PinnedLocks keptLocks() {
    return keptLocks;
  }

  /** For how long the store has not answered. */
  OutageTimer silence() {
    return silence;
  }

  /** What a caller asks the store, without taking anything. */
  StoreQueries queries() {
    return queries;
  }

  /** What an operator orders. */
  ForcedRelease forcedRelease() {
    return forcedRelease;
  }

  MultiRequests multiRequests() {
    return multiRequests;
  }

  /** Everyone of this process who is on the way to the store. */
  Collection<Acquisition> acquisitions() {
    return acquisitions.values();
  }

  /** The tenure of this owner, if this process has it. */
  @Nullable Tenure findTenure(Owner owner) {
    return renewals.find(owner.tenureId());
  }

  DeadlockVictim deadlockVictim() {
    return deadlockVictim;
  }

  long reconnects() {
    return reconnects.get();
  }

  /** What the store is called. */
  public String name() {
    return backend.engine();
  }

  /** How everything is. */
  public LockHealth health() {
    return watchdog.health();
  }

  // ---- acquire

  Owner newOwner() {
    return new Owner(identity.clientId(), tenureIds.next());
  }

  /** An owner for a lock that counts in this process alone. */
  Owner newLocalOwner() {
    return new Owner(identity.clientId(), RoutedBackend.localId(tenureIds.next()));
  }

  /** False if the store is known not to answer. */
  boolean storeAnswers() {
    return watchdog.storeAnswers();
  }

  /** An acquisition goes on under another owner. */
  void rename(Acquisition acquisition, Owner before) {
    acquisitions.put(acquisition.owner().tenureId(), acquisition); // known at every moment
    acquisitions.remove(before.tenureId(), acquisition);
  }

  /** Sets out for a resource, for a new owner. */
  Acquisition acquire(
      TenureListener holder, Owner owner, AcquireSpec spec, Thread thread, long contenderSince) {
    Acquisition acquisition = new Acquisition(this, holder, owner, spec, thread, contenderSince);
    acquisitions.put(owner.tenureId(), acquisition);
    if (closed) {
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
    if (closed) {
      loseAndRelease(tenure, LossReason.MANAGER_CLOSED);
    }
  }

  /** It is held from now on, and renewed. */
  void tenureStarted(Tenure granted) {
    watchdog.started(granted);
    if (granted.isDegraded()) {
      degraded = true;
      events.degraded(granted);
    } else if (degraded) {
      degraded = false;
      events.normalAgain(granted);
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
  CompletableFuture<ReleaseResult> release(Tenure tenure) {
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
  CompletableFuture<ReleaseResult> release(Tenure tenure, Acquisition successor) {
    Release release = end(tenure, false); // its successor's request is sent with it
    acquisitions.put(successor.owner().tenureId(), successor);
    if (closed) {
      successor.close();
    }
    try {
      backend.releaseAndJoin(release::attempt, successor::attempt);
    } catch (RuntimeException | Error e) {
      successor.fail(queries.explain(tenure.resource(), e));
      release.attempt(); // twice is no harm
    }
    return release.firstAnswer();
  }

  /** Gives up an acquisition that nobody waits for any more, and what it has got. */
  void giveUp(Acquisition unused) {
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
    Release release = new Release(this, resource, owner, time.nanoTime() + lease.toNanos(), false);
    track(release);
    release.attempt();
    return release;
  }

  /** Completes when no release for this owner is under way any more. */
  CompletableFuture<Void> settled(Owner owner) {
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
    long end = time.nanoTime() + tenure.leaseNanos();
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
  CompletableFuture<@Nullable Void> lessen(Tenure tenure, Claim claim) {
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
  void lose(Tenure tenure, LossReason reason) {
    if (!tenure.lose(reason)) {
      return;
    }
    renewals.stopRenewal(tenure);
    if (tenure.takeRestarted()) {
      events.recoveryFailed(Action.RESTART_RENEWAL, tenure, "lost: " + reason);
    }
    tenure.holder().tenureLost(tenure);
    if (reason == LossReason.NOT_RENEWED || reason == LossReason.LEASE_EXPIRED) {
      Duration lease = tenure.config().leaseTime();
      scheduler.schedule(
          tenure.earlyNanos(), () -> giveBack(tenure.resource(), tenure.owner(), lease));
    }
  }

  /** The store has said that a tenure is not ours and, where that is allowed, not taken it back. */
  void goneFromStore(Tenure tenure) {
    if (tenure.isLive() && tenure.config().recoveryStrategy().allows(Action.REACQUIRE)) {
      events.recoveryFailed(
          Action.REACQUIRE, tenure, "somebody has held it meanwhile, or the store cannot tell");
    }
    lose(tenure, LossReason.GONE_FROM_STORE);
  }

  /**
   * A tenure had vanished from the store and is back, and nobody had it in between. If it was given
   * up meanwhile, its release found nothing: it is given back now.
   */
  void resumed(Tenure tenure) {
    if (tenure.isLive()) {
      watchdog.resumed(tenure);
    } else {
      giveBack(tenure.resource(), tenure.owner(), Duration.ofNanos(tenure.leaseNanos()));
    }
  }

  /** Gives up a tenure that is of no use any more, because something that belongs to it is lost. */
  void losePart(Tenure tenure) {
    if (tenure.isLive()) {
      loseAndRelease(tenure, LossReason.PART_LOST);
    }
  }

  /** The story of a loss. */
  LockLoss describe(Hold lost, String key, LossReason reason) {
    Duration held = Duration.ofNanos(time.nanoTime() - lost.since);
    String kind = lost.tenure.resource().kind().label();
    return new LockLoss(kind, key, lost.token, reason, time.now(), held);
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
      watchdog.gone(tenure);
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
    watchdog.messagesLost(why);
  }

  @Override
  public void messagesBack() {
    watchdog.messagesBack();
    reconnected();
  }

  @Override
  public boolean isAnybodyInterested() {
    return !acquisitions.isEmpty() || !renewals.tenures().isEmpty();
  }

  // ---- the end

  boolean isClosed() {
    return closed;
  }

  void requireOpen(Resource resource) {
    requireOpen(resource.kind().label(), resource.key());
  }

  void requireOpen(String kind, String key) {
    if (closed) {
      throw new LockManagerClosedException(kind, key);
    }
  }

  /** For what is under way when the manager is closed. */
  static LockManagerClosedException closedWith(Resource resource) {
    return new LockManagerClosedException(resource.kind().label(), resource.key());
  }

  /**
   * Fails everyone who waits, tells every holder, and gives all locks back.
   *
   * @param patience how long to wait until the store has answered
   */
  public void close(Duration patience) {
    closed = true;
    watchdog.stop();
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
      Awaits.awaitUninterruptibly(backend, all, patience.toNanos());
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
    Closing.stepApart("disconnect from the store", backend::close, PATIENCE_OF_DISCONNECT);
  }

  /**
   * Takes in what the store has sent already, before something fair stays in this process because
   * nobody else is known to wait. No lock may be held.
   */
  void drainSignals() {
    try {
      backend.assist(NOTHING, 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
