package io.holdfast.spi;

/** Runs short tasks that never block, later. */
public interface Scheduler {
  /**
   * Runs the task once after the delay.
   *
   * @return cancels the task if it has not started
   */
  Cancellable schedule(long delayNanos, Runnable task);

  /** Takes back a scheduled task. */
  @FunctionalInterface
  interface Cancellable {
    /** Does nothing if the task has run already. */
    void cancel();
  }
}
