package io.holdfast;

import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.metrics.LockFamilies;
import java.time.Duration;

/**
 * Hears what is worth counting. Unlike a {@link LockListener} it is called at once, on the thread
 * on which it happens, so it must be quick and must not block; what it throws is logged and goes no
 * further.
 *
 * <pre>{@code
 * LockManager manager = LockManager.builder(url).metrics(new MetricsCollector() {
 *   @Override public void acquired(String key, Duration waited) { waits.record(waited); }
 * }).build();
 * }</pre>
 *
 * <p>There are as many keys as an application makes up: whoever keeps numbers per key should group
 * them with {@link LockFamilies}. Ready to use are {@link InMemoryMetrics} and, in {@code
 * holdfast-micrometer}, {@code MicrometerMetrics}.
 */
public interface MetricsCollector {
  /** Counts nothing, at no cost. */
  MetricsCollector NONE = new MetricsCollector() {};

  /**
   * A lock manager has opened its store. One collector may serve several managers; what it returns
   * here hears everything else about this one.
   *
   * @return who counts for this manager: this collector, or one of its own for each
   */
  default MetricsCollector started(Source manager) {
    return this;
  }

  /**
   * A lock manager was closed; the last word about it, to whoever counted for it. It should be let
   * go of here.
   */
  default void stopped(Source manager) {}

  /** A hold began after waiting so long. */
  default void acquired(String key, Duration waited) {}

  /**
   * Somebody gave up after waiting so long for a lock, for permits or at a latch: busy,
   * interrupted, cancelled, manager closed.
   */
  default void gaveUp(String key, Duration waited) {}

  /**
   * Somebody who wanted a lock or permits, or waited at a latch, got a fault instead, after so
   * long: a {@link StoreException}, a {@link DeadlockException}. That the lock was busy, or the
   * manager closed, is no fault: see {@link #gaveUp}.
   */
  default void failed(String key, Duration waited, Throwable fault) {}

  /** A wait for a {@linkplain DistributedCountDownLatch latch} ended after so long: it is open. */
  default void passed(String key, Duration waited) {}

  /**
   * Something else that was asked of the store failed after so long: {@code info()}, {@code
   * isLocked()}, {@code forceUnlock()}, {@code setPermits()}, setting or counting a latch. Counted
   * as {@link #failed} unless a collector wants to tell them apart.
   */
  default void requestFailed(String key, Duration took, Throwable fault) {
    failed(key, took, fault);
  }

  /** A hold ended as it should after so long. */
  default void released(String key, Duration held) {}

  /** A lease was extended. */
  default void renewed(String key) {}

  /** The store did not answer a renewal. */
  default void renewalFailed(String key) {}

  /** The store did not answer a release. */
  default void releaseFailed(String key) {}

  /** A lock was lost after it was held so long. */
  default void lost(String key, LossReason reason, Duration held) {}

  /** The watchdog has finished a check and found everything as it should be, or not. */
  default void checked(Finding.Check check, boolean ok) {}

  /** The watchdog found something. */
  default void found(Finding finding) {}

  /** Something the watchdog found has become an alert. */
  default void alerted(Finding finding) {}

  /** The watchdog tried to put something right. */
  default void recovery(String key, RecoveryStrategy.Action action, boolean worked) {}

  /** The store answered a ping of the watchdog after so long. */
  default void storeAnswered(Duration latency) {}

  /**
   * The store answers, but its messages were found not to reach this process; once for each outage.
   */
  default void messagesLost() {}

  /** A process-local lock was granted because the store could not be reached. */
  default void degraded(String key) {}

  /**
   * What a collector may ask a {@link LockManager} at any time, for numbers that go up and down:
   * how much is held, how many wait, whether the store answers. Nothing here costs a round trip. A
   * collector gets it when the manager starts and should let go of it when it stops.
   */
  interface Source {
    /** The kind of store, as in {@code redis}. */
    String engine();

    /** How the manager and its store are now. */
    LockHealth health();
  }
}
