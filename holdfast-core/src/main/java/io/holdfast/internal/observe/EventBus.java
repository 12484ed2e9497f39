package io.holdfast.internal.observe;

import io.holdfast.Finding;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Kind;
import io.holdfast.LockListener;
import io.holdfast.LockLoss;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.MetricsCollector;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Where everything that happens to a lock is told, once, and from where it goes to whoever wants to
 * know.
 *
 * <pre>
 *                    collector          counts, on the thread on which it happens
 *                  /
 *   what happened  - audit log          one line, if it is on
 *                  \ flight recorder    an event, while somebody records
 *                   listeners           a LockEvent, later, on a thread of their own
 * </pre>
 *
 * <p>{@link #acquired} and {@link #released} are on the way of every lock and unlock, also of a
 * handoff inside the process: when nobody wants to know they read a few fields and make nothing.
 */
public final class EventBus {
  private static final Logger log = LoggerFactory.getLogger(EventBus.class);

  private final TimeSource time;
  private final AuditLog audit;
  private final EventQueue listeners = new EventQueue();
  private final AtomicLong collectorFaults = new AtomicLong();
  private volatile MetricsCollector metrics = MetricsCollector.NONE;
  private volatile String engine = "";

  /** Without listeners, and nobody counts yet. */
  public EventBus(TimeSource time, AuditLog audit) {
    this.time = time;
    this.audit = audit;
  }

  /** From now on the collector counts what happens to the locks of this manager. */
  public void started(MetricsCollector collector, MetricsCollector.Source manager) {
    engine = manager.engine();
    MetricsCollector own = collector;
    try {
      own = collector.started(manager);
    } catch (RuntimeException | Error e) {
      collectorFailed(e);
    }
    metrics = own;
  }

  /** The manager is closed: nobody counts any more. */
  public void stopped(MetricsCollector.Source manager) {
    count(collector -> collector.stopped(manager));
    metrics = MetricsCollector.NONE;
  }

  /** Adds a listener. */
  public void add(LockListener listener) {
    listeners.add(listener);
  }

  /** Removes a listener. */
  public void remove(LockListener listener) {
    listeners.remove(listener);
  }

  /** Delivers what waits, for a short while, and stops. */
  public void close() {
    listeners.close();
  }

  // ---- holds

  public void acquired(Hold hold, String key, long waitedNanos) {
    if (metrics != MetricsCollector.NONE) {
      count(collector -> collector.acquired(key, Duration.ofNanos(waitedNanos)));
    }
    if (audit.isOn()) {
      audit.acquired(hold, key, waitedNanos);
    }
    if (FlightRecorder.wantsWaits()) {
      FlightEvents.acquired(engine, hold, key, waitedNanos);
    }
    if (listeners.isHeard()) {
      emit(Kind.ACQUIRED, key, hold, Duration.ofNanos(waitedNanos), "");
    }
  }

  public void released(Hold hold, String key, String detail) {
    if (metrics != MetricsCollector.NONE) {
      count(collector -> collector.released(key, held(hold)));
    }
    if (audit.isOn()) {
      audit.released(hold, key, time.nanoTime() - hold.since, detail);
    }
    if (FlightRecorder.wantsHolds()) {
      FlightEvents.released(engine, hold, key, time.nanoTime() - hold.since);
    }
    if (listeners.isHeard()) {
      emit(Kind.RELEASED, key, hold, held(hold), detail);
    }
  }

  private Duration held(Hold hold) {
    return Duration.ofNanos(time.nanoTime() - hold.since);
  }

  public void lost(Hold hold, LockLoss loss) {
    count(collector -> collector.lost(loss.key(), loss.reason(), loss.heldFor()));
    if (audit.isOn()) {
      audit.lost(hold, loss);
    }
    if (FlightRecorder.wantsLosses()) {
      FlightEvents.lost(engine, hold, loss);
    }
    if (listeners.isHeard()) {
      emit(Kind.LOST, loss.key(), hold, loss.heldFor(), loss.toString());
    }
  }

  /** The one line about it is written here: what this process held of it is named in it. */
  public void forced(Resource resource, boolean heldHere) {
    String key = resource.key();
    String thread = Thread.currentThread().getName();
    log.warn(
        "{} was forced open by thread '{}'{}",
        resource,
        thread,
        heldHere ? "; it was held in this process, and its holders are told" : "");
    if (audit.isOn()) {
      audit.forced(key);
    }
    if (listeners.isHeard()) {
      String detail = resource.kind() == Resource.Kind.LATCH ? "latch" : "";
      publish(new LockEvent(Kind.FORCED, key, "", 0, thread, time.now(), Duration.ZERO, detail));
    }
  }

  // ---- latches

  /** A wait at a latch ended because it is open. */
  public void passed(String key, Owner passing, Thread caller, long startedAt) {
    long waitedNanos = time.nanoTime() - startedAt;
    if (metrics != MetricsCollector.NONE) {
      count(collector -> collector.passed(key, Duration.ofNanos(waitedNanos)));
    }
    String owner = passing.toString();
    String thread = caller.getName();
    if (FlightRecorder.wantsLatchWaits()) {
      FlightEvents.passed(engine, key, owner, thread, waitedNanos);
    }
    if (listeners.isHeard()) {
      Duration waited = Duration.ofNanos(waitedNanos);
      publish(new LockEvent(Kind.PASSED, key, owner, 0, thread, time.now(), waited, ""));
    }
  }

  // ---- requests that ended without a hold

  public void gaveUp(String key, String owner, Duration waited, String why) {
    count(collector -> collector.gaveUp(key, waited));
    emitGaveUp(key, owner, waited, why);
  }

  /**
   * A request ended with an exception. Only what is a fault counts as one: not that the lock was
   * busy, nor that the manager was closed.
   */
  public void failed(String key, long startedAt, Throwable fault) {
    Throwable cause = fault;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    Throwable told = cause;
    Duration waited = Duration.ofNanos(time.nanoTime() - startedAt);
    if (told instanceof LockTimeoutException || told instanceof LockManagerClosedException) {
      count(collector -> collector.gaveUp(key, waited));
    } else {
      count(collector -> collector.failed(key, waited, told));
    }
    emitGaveUp(key, "", waited, String.valueOf(told.getMessage()));
  }

  /** A request ended without a hold: with a fault, or because it was busy or given up. */
  public void ended(String key, long startedAt, @Nullable Throwable fault) {
    if (fault != null) {
      failed(key, startedAt, fault);
    } else {
      gaveUp(key, "", Duration.ofNanos(time.nanoTime() - startedAt), "busy, or given up");
    }
  }

  /** Something that was asked of the store, but for a lock, got a fault; the caller is told. */
  public void requestFailed(String key, long startedAt, Throwable fault) {
    if (!(fault instanceof LockManagerClosedException)) {
      Duration took = Duration.ofNanos(time.nanoTime() - startedAt);
      count(collector -> collector.requestFailed(key, took, fault));
    }
  }

  private void emitGaveUp(String key, String owner, Duration waited, String why) {
    if (listeners.isHeard()) {
      String thread = Thread.currentThread().getName();
      publish(new LockEvent(Kind.GAVE_UP, key, owner, 0, thread, time.now(), waited, why));
    }
  }

  // ---- the store

  public void renewed(Tenure tenure) {
    count(collector -> collector.renewed(tenure.resource().key()));
    emit(Kind.RENEWED, tenure.resource().key(), tenure.owner(), "");
  }

  public void renewalFailed(Tenure tenure, Throwable cause) {
    count(collector -> collector.renewalFailed(tenure.resource().key()));
    log.debug("{}: renewal got no answer, trying again", tenure.resource(), cause);
    emit(Kind.RENEWAL_FAILED, tenure.resource().key(), tenure.owner(), String.valueOf(cause));
  }

  public void releaseFailed(Resource resource, Owner owner, Throwable cause) {
    String key = resource.key();
    count(collector -> collector.releaseFailed(key));
    log.debug("{}: release got no answer, trying again", resource, cause);
    emit(Kind.RELEASE_FAILED, key, owner, String.valueOf(cause));
  }

  public void storeAnswered(Duration latency) {
    count(collector -> collector.storeAnswered(latency));
  }

  public void messagesLost() {
    count(MetricsCollector::messagesLost);
  }

  public void degraded(Tenure tenure) {
    String key = tenure.resource().key();
    count(collector -> collector.degraded(key));
    log.warn("{} is process-local: the store cannot be reached", tenure.resource());
    emit(Kind.DEGRADED, key, tenure.owner(), "");
  }

  public void normalAgain(Tenure tenure) {
    log.info("the store grants locks again");
    emit(Kind.NORMAL_AGAIN, tenure.resource().key(), tenure.owner(), "");
  }

  // ---- the watchdog

  public void checked(Finding.Check check, boolean ok) {
    count(collector -> collector.checked(check, ok));
  }

  public void found(Finding finding) {
    count(collector -> collector.found(finding));
    log.debug("{}", finding);
    emit(Kind.FINDING, finding, Duration.ZERO);
  }

  void alert(Finding finding, Duration duration) {
    if (finding.kind() == Finding.Kind.LOCK_GONE) {
      log.debug("{}", finding); // its loss has a line of its own
    } else {
      log.warn("{}", finding);
    }
    count(collector -> collector.alerted(finding));
    switch (finding.kind()) {
      case WAITING_LONG -> emit(Kind.WAITING_LONG, finding, duration);
      case HELD_LONG -> emit(Kind.HELD_LONG, finding, duration);
      default -> emit(Kind.ALERT, finding, duration);
    }
  }

  /** Its line is that of the recovery. */
  public void resumed(Finding finding) {
    emit(Kind.RESUMED, finding, Duration.ZERO);
  }

  public void recovered(Action action, Tenure tenure, String detail) {
    recovery(Kind.RECOVERED, action, tenure, detail);
  }

  public void recoveryFailed(Action action, Tenure tenure, String detail) {
    recovery(Kind.RECOVERY_FAILED, action, tenure, detail);
  }

  private void recovery(Kind kind, Action action, Tenure tenure, String detail) {
    String key = tenure.resource().key();
    boolean worked = kind == Kind.RECOVERED;
    log.atLevel(levelOf(action, worked))
        .log("{}: {} {}: {}", tenure.resource(), action, worked ? "worked" : "failed", detail);
    count(collector -> collector.recovery(key, action, worked));
    if (FlightRecorder.wantsRecoveries()) {
      FlightEvents.recovery(engine, tenure, action, worked, detail);
    }
    emit(kind, key, tenure.owner(), action + ": " + detail);
  }

  /**
   * A lock that had vanished and is back is news. The others follow a warning of what was wrong, or
   * come with that of the loss.
   */
  private static Level levelOf(Action action, boolean worked) {
    if (worked) {
      return action == Action.REACQUIRE ? Level.WARN : Level.INFO;
    }
    return action == Action.RELEASE ? Level.WARN : Level.DEBUG;
  }

  // ---- to those who count, and those who listen

  private void count(Consumer<MetricsCollector> event) {
    MetricsCollector collector = metrics;
    if (collector == MetricsCollector.NONE) {
      return;
    }
    try {
      event.accept(collector);
    } catch (RuntimeException | Error e) {
      collectorFailed(e);
    }
  }

  /** It may fail a million times a second: told at the first, second, fourth, eighth ... time. */
  private void collectorFailed(Throwable fault) {
    long number = collectorFaults.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      log.warn("a metrics collector has failed {} times so far", number, fault);
    }
  }

  private void emit(Kind kind, String key, Hold hold, Duration duration, String detail) {
    String owner = hold.tenure.owner().toString();
    String thread = hold.thread.getName();
    publish(new LockEvent(kind, key, owner, hold.token, thread, time.now(), duration, detail));
  }

  private void emit(Kind kind, String key, Owner owner, String detail) {
    if (listeners.isHeard()) {
      publish(new LockEvent(kind, key, owner.toString(), 0, "", time.now(), Duration.ZERO, detail));
    }
  }

  private void emit(Kind kind, Finding finding, Duration duration) {
    if (listeners.isHeard()) {
      publish(
          new LockEvent(
              kind,
              finding.key(),
              finding.owner(),
              finding.token(),
              finding.thread(),
              finding.at(),
              duration,
              finding.kind() + ": " + finding.evidence()));
    }
  }

  private void publish(LockEvent event) {
    listeners.publish(event);
  }
}
