package io.holdfast;

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
 */
public interface MetricsCollector {
  /** Counts nothing, at no cost. */
  MetricsCollector NONE = new MetricsCollector() {};

  /** A hold began after waiting so long. */
  default void acquired(String key, Duration waited) {}

  /** Somebody gave up after waiting so long: busy, interrupted, cancelled. */
  default void gaveUp(String key, Duration waited) {}

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

  /** A process-local lock was granted because the store could not be reached. */
  default void degraded(String key) {}
}
