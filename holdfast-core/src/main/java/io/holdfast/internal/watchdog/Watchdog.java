package io.holdfast.internal.watchdog;

import io.holdfast.Finding;
import io.holdfast.LockConfig;
import io.holdfast.LockHealth;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.engine.Supervisor;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.observe.Findings;
import io.holdfast.spi.Scheduler.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after everything a lock manager holds and waits for: one task on the scheduler for all
 * locks, which never blocks and needs a few commands however many locks there are.
 *
 * <pre>
 *   every watchdogPeriod
 *     RenewalCheck     is every lock renewed in time?         restarts a renewal that is dead
 *     LockStateCheck   does the store know it as ours?        takes it back, or declares it lost
 *     HolderCheck      is the holding thread alive?           releases what a dead thread holds
 *     ConnectionCheck  does the store answer, how fast?
 *     WaitingCheck     does anybody wait too long, for ever?  can break a deadlock
 * </pre>
 *
 * <p>What a check finds goes to {@link Findings}, and from there to listeners and counters.
 */
public final class Watchdog implements Supervisor {
  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private final LockEngine engine;
  private final Context context;
  private final LockConfig defaults;
  private final Duration period;
  private final Findings findings;
  private final RenewalCheck renewals;
  private final LockStateCheck states;
  private final HolderCheck holders;
  private final ConnectionCheck connection;
  private final WaitingCheck waiting;
  private long wholeLookAt;

  /** Guarded by this. */
  private @Nullable Cancellable plan;

  private volatile long plannedFor;
  private volatile boolean stopped;

  private Watchdog(LockEngine engine, LockConfig defaults) {
    this.engine = engine;
    this.context = engine.context();
    this.defaults = defaults;
    this.period = defaults.watchdogPeriod();
    this.findings = new Findings(context.events());
    this.renewals = new RenewalCheck(engine, this);
    this.states = new LockStateCheck(engine, this);
    this.holders = new HolderCheck(engine, this);
    this.connection = new ConnectionCheck(context, this);
    this.waiting = new WaitingCheck(engine, this);
    this.wholeLookAt = context.now();
  }

  /** Starts to look after an engine. */
  public static Watchdog start(LockEngine engine, LockConfig defaults) {
    Watchdog started = new Watchdog(engine, defaults);
    started.planIn(started.period);
    return started;
  }

  @Override
  public synchronized void stop() {
    stopped = true;
    if (plan != null) {
      plan.cancel();
    }
  }

  private synchronized void planIn(Duration time) {
    if (!stopped) {
      if (plan != null) {
        plan.cancel();
      }
      plannedFor = context.now() + time.toNanos();
      plan = context.scheduler().schedule(time.toNanos(), this::run);
    }
  }

  /** A tenure that wants to be looked at sooner than planned, is. */
  @Override
  public void tenureStarted(Tenure tenure) {
    Duration own = tenure.config().watchdogPeriod();
    if (own.compareTo(period) < 0 && context.now() + own.toNanos() - plannedFor < 0) {
      planIn(own);
    }
  }

  private void run() {
    Duration next = period;
    try {
      next = look();
    } catch (RuntimeException | Error e) {
      log.error("a check of the watchdog failed; the next one comes as planned", e);
    }
    planIn(next);
  }

  /** Looks at what is due; when to look again. */
  private Duration look() {
    long now = context.now();
    Duration next = period;
    List<Tenure> due = new ArrayList<>();
    for (Tenure tenure : engine.renewals().tenures()) {
      Duration own = tenure.config().watchdogPeriod();
      next = own.compareTo(next) < 0 ? own : next;
      if (tenure.takeCheck(now)) {
        due.add(tenure);
      }
    }
    renewals.look(due, now);
    states.look(due, now);
    holders.look(due, now);
    if (now - wholeLookAt >= period.toNanos() / 10 * 9) {
      wholeLookAt = now;
      findings.forgetThoseOver(now);
      connection.look(now);
      waiting.look(now);
    }
    return next;
  }

  // ---- what checks say

  /** Something about a tenure. */
  Finding about(Finding.Kind kind, Tenure tenure, @Nullable Hold hold, String evidence) {
    return new Finding(
        kind,
        tenure.resource().key(),
        tenure.owner().toString(),
        hold == null ? 0 : hold.token,
        hold == null ? "" : hold.thread.getName(),
        context.time().now(),
        evidence);
  }

  void found(
      Finding.Kind kind, Tenure tenure, @Nullable Hold hold, String evidence, Duration duration) {
    report(about(kind, tenure, hold, evidence), tenure.config(), duration);
  }

  /** Something about the store. */
  void found(Finding.Kind kind, String evidence) {
    report(
        new Finding(kind, "", "", 0, "", context.time().now(), evidence), defaults, Duration.ZERO);
  }

  void report(Finding finding, LockConfig config, Duration duration) {
    long now = context.now();
    findings.report(finding, config.alertThreshold(), duration, now, keepUntil(config, now));
  }

  /** An episode lasts until it has not been found in two looks. */
  long keepUntil(LockConfig config, long now) {
    Duration own = config.watchdogPeriod();
    long longer = Math.max(period.toNanos(), own.toNanos());
    return now + Math.min(longer, Long.MAX_VALUE / 8) * 5 / 2;
  }

  Findings findings() {
    return findings;
  }

  @Override
  public void prove(List<Tenure> tenures, Consumer<List<Tenure>> unanswered) {
    states.ask(tenures, unanswered);
  }

  @Override
  public void tenureGone(Tenure tenure) {
    states.gone(tenure);
  }

  @Override
  public void messagesLost(String why) {
    connection.messagesLost(why);
  }

  @Override
  public void messagesBack() {
    connection.messagesBack();
  }

  @Override
  public void tenureResumed(Tenure tenure) {
    List<Hold> holds = tenure.holder().holdsIn(tenure);
    Hold first = holds.isEmpty() ? null : holds.get(0);
    String evidence = "it had vanished from the store and was taken back; nobody had it in between";
    Finding finding = about(Finding.Kind.LOCK_GONE, tenure, first, evidence);
    context.events().found(finding);
    context.events().recovered(Action.REACQUIRE, tenure, evidence);
    context.events().resumed(finding);
    tenure.holder().tenureResumed(tenure, finding);
  }

  // ---- for people

  @Override
  public boolean storeAnswers() {
    return connection.isReachable();
  }

  @Override
  public LockHealth health() {
    Collection<Tenure> tenures = engine.renewals().tenures();
    int local = waitingLocally(tenures);
    return new LockHealth(
        context.backend().engine(),
        connection.isReachable(),
        connection.latency(),
        context.backend().connections(),
        engine.reconnects(),
        tenures.size(),
        (int) engine.acquisitions().stream().filter(Acquisition::isAwaited).count() + local,
        local,
        (int) tenures.stream().filter(Tenure::isDegraded).count(),
        findings.current());
  }

  /** Those behind another of this process: they are where something is held or asked for. */
  private int waitingLocally(Collection<Tenure> tenures) {
    Set<TenureListener> places = new HashSet<>();
    tenures.forEach(tenure -> places.add(tenure.holder()));
    engine.acquisitions().forEach(acquisition -> places.add(acquisition.holder()));
    return places.stream().mapToInt(TenureListener::localWaiters).sum();
  }
}
