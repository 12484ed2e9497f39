package io.holdfast.internal.observe;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.holdfast.LockEvent;
import io.holdfast.LockListener;
import io.holdfast.internal.base.Closing;
import io.holdfast.internal.base.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings events to the listeners, in order, on one thread of its own that ends when it is idle.
 * With slow listeners the queue is bounded and drops are counted.
 */
final class EventQueue {
  private static final Logger log = LoggerFactory.getLogger(EventQueue.class);
  private static final int MOST_WAITING = 10_000;
  private static final Duration SHORT_WHILE = Duration.ofSeconds(1);

  private final List<LockListener> listeners = new CopyOnWriteArrayList<>();
  private final AtomicLong dropped = new AtomicLong();
  private final ThreadPoolExecutor executor;

  EventQueue() {
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

  void add(LockListener listener) {
    listeners.add(listener);
  }

  void remove(LockListener listener) {
    listeners.remove(listener);
  }

  /** False if nobody would hear an event, so that none needs to be made. */
  boolean isHeard() {
    return !listeners.isEmpty();
  }

  void publish(LockEvent event) {
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

  /** Delivers what waits, for a short while, and stops. */
  void close() {
    executor.shutdown();
    if (!Closing.isOver(SHORT_WHILE, left -> executor.awaitTermination(left, NANOSECONDS))) {
      executor.shutdownNow();
    }
  }
}
