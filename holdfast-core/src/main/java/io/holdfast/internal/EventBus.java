package io.holdfast.internal;

import io.holdfast.Finding;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Kind;
import io.holdfast.LockListener;
import io.holdfast.LockLoss;
import io.holdfast.MetricsCollector;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.spi.Owner;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners, in order, on one thread of its own that ends when it is idle. Without
 * listeners nothing is made or queued; with slow ones the queue is bounded and drops are counted.
 */
public final class EventBus {
  private static final Logger log = LoggerFactory.getLogger(EventBus.class);
  private static final int MOST_WAITING = 10_000;

  private final TimeSource time;
  private final MetricsCollector metrics;
  private final List<LockListener> listeners = new CopyOnWriteArrayList<>();
  private final AtomicLong dropped = new AtomicLong();
  private final ThreadPoolExecutor executor;

  /** Without listeners. */
  public EventBus(TimeSource time, MetricsCollector metrics) {
    this.time = time;
    this.metrics = metrics;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING),
            Threads.named("holdfast-events"),
            (task, pool) -> dropped(pool.isShutdown()));
    executor.allowCoreThreadTimeOut(true);
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
    executor.shutdown();
    try {
      if (!executor.awaitTermination(1, TimeUnit.SECONDS)) {
        executor.shutdownNow();
      }
    } catch (InterruptedException e) {
      executor.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  void acquired(Hold hold, String key, long waitedNanos) {
    count(collector -> collector.acquired(key, Duration.ofNanos(waitedNanos)));
    if (!listeners.isEmpty()) {
      emit(
          Kind.ACQUIRED,
          key,
          hold.tenure.owner(),
          hold.token,
          hold.thread.getName(),
          Duration.ofNanos(waitedNanos),
          "");
    }
  }

  void released(Hold hold, String key, String detail) {
    count(collector -> collector.released(key, Duration.ofNanos(time.nanoTime() - hold.since)));
    if (!listeners.isEmpty()) {
      emit(
          Kind.RELEASED,
          key,
          hold.tenure.owner(),
          hold.token,
          hold.thread.getName(),
          Duration.ofNanos(time.nanoTime() - hold.since),
          detail);
    }
  }

  void lost(Hold hold, LockLoss loss) {
    count(collector -> collector.lost(loss.key(), loss.reason(), loss.heldFor()));
    if (!listeners.isEmpty()) {
      emit(
          Kind.LOST,
          loss.key(),
          hold.tenure.owner(),
          loss.token(),
          hold.thread.getName(),
          loss.heldFor(),
          loss.toString());
    }
  }

  void renewed(Tenure tenure) {
    count(collector -> collector.renewed(tenure.resource().key()));
    if (!listeners.isEmpty()) {
      emit(Kind.RENEWED, tenure.resource().key(), tenure.owner(), 0, "", Duration.ZERO, "");
    }
  }

  void renewalFailed(Tenure tenure, Throwable cause) {
    count(collector -> collector.renewalFailed(tenure.resource().key()));
    log.debug("lock '{}': renewal got no answer, trying again", tenure.resource().key(), cause);
    if (!listeners.isEmpty()) {
      emit(
          Kind.RENEWAL_FAILED,
          tenure.resource().key(),
          tenure.owner(),
          0,
          "",
          Duration.ZERO,
          String.valueOf(cause));
    }
  }

  void releaseFailed(String key, Owner owner, Throwable cause) {
    count(collector -> collector.releaseFailed(key));
    log.debug("lock '{}': release got no answer, trying again", key, cause);
    if (!listeners.isEmpty()) {
      emit(Kind.RELEASE_FAILED, key, owner, 0, "", Duration.ZERO, String.valueOf(cause));
    }
  }

  void found(Finding finding) {
    count(collector -> collector.found(finding));
    log.debug("{}", finding);
    emit(Kind.FINDING, finding, Duration.ZERO);
  }

  void alert(Finding finding, Duration duration) {
    log.warn("{}", finding);
    count(collector -> collector.alerted(finding));
    switch (finding.kind()) {
      case WAITING_LONG -> emit(Kind.WAITING_LONG, finding, duration);
      case HELD_LONG -> emit(Kind.HELD_LONG, finding, duration);
      default -> emit(Kind.ALERT, finding, duration);
    }
  }

  void resumed(Finding finding) {
    log.warn("{}", finding);
    emit(Kind.RESUMED, finding, Duration.ZERO);
  }

  void recovered(Action action, Tenure tenure, String detail) {
    recovery(Kind.RECOVERED, action, tenure, detail);
  }

  void recoveryFailed(Action action, Tenure tenure, String detail) {
    recovery(Kind.RECOVERY_FAILED, action, tenure, detail);
  }

  private void recovery(Kind kind, Action action, Tenure tenure, String detail) {
    String key = tenure.resource().key();
    boolean worked = kind == Kind.RECOVERED;
    log.warn("lock '{}': {} {}: {}", key, action, worked ? "worked" : "failed", detail);
    count(collector -> collector.recovery(key, action, worked));
    if (!listeners.isEmpty()) {
      emit(kind, key, tenure.owner(), 0, "", Duration.ZERO, action + ": " + detail);
    }
  }

  void degraded(Tenure tenure) {
    String key = tenure.resource().key();
    count(collector -> collector.degraded(key));
    log.warn("lock '{}' is process-local: the store cannot be reached", key);
    if (!listeners.isEmpty()) {
      emit(Kind.DEGRADED, key, tenure.owner(), 0, "", Duration.ZERO, "");
    }
  }

  void normalAgain(Tenure tenure) {
    log.info("the store grants locks again");
    if (!listeners.isEmpty()) {
      emit(Kind.NORMAL_AGAIN, tenure.resource().key(), tenure.owner(), 0, "", Duration.ZERO, "");
    }
  }

  void checked(Finding.Check check, boolean ok) {
    count(collector -> collector.checked(check, ok));
  }

  void storeAnswered(Duration latency) {
    count(collector -> collector.storeAnswered(latency));
  }

  private void emit(Kind kind, Finding finding, Duration duration) {
    if (!listeners.isEmpty()) {
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

  void gaveUp(String key, String owner, Duration waited, String why) {
    count(collector -> collector.gaveUp(key, waited));
    if (!listeners.isEmpty()) {
      String thread = Thread.currentThread().getName();
      publish(new LockEvent(Kind.GAVE_UP, key, owner, 0, thread, time.now(), waited, why));
    }
  }

  void forced(String key) {
    log.warn("lock '{}' was forced open by this process", key);
    if (!listeners.isEmpty()) {
      String thread = Thread.currentThread().getName();
      publish(new LockEvent(Kind.FORCED, key, "", 0, thread, time.now(), Duration.ZERO, ""));
    }
  }

  private void count(Consumer<MetricsCollector> event) {
    if (metrics == MetricsCollector.NONE) {
      return;
    }
    try {
      event.accept(metrics);
    } catch (RuntimeException | Error e) {
      log.warn("a metrics collector failed", e);
    }
  }

  private void emit(
      Kind kind,
      String key,
      Owner owner,
      long token,
      String thread,
      Duration duration,
      String detail) {
    publish(
        new LockEvent(kind, key, owner.toString(), token, thread, time.now(), duration, detail));
  }

  private void publish(LockEvent event) {
    executor.execute(() -> deliver(event));
  }

  private void deliver(LockEvent event) {
    for (LockListener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException | Error e) {
        log.warn("a lock listener failed on {}", event, e);
      }
    }
  }

  private void dropped(boolean closed) {
    if (closed) {
      return;
    }
    long number = dropped.incrementAndGet();
    if (Long.bitCount(number) == 1) {
      log.warn("a lock listener is too slow: {} events dropped so far", number);
    }
  }
}
