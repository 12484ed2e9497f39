package io.holdfast.internal.base;

import io.holdfast.spi.Scheduler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The scheduler of a lock manager: one daemon thread for everything that happens later. */
public final class TimerThread implements Scheduler, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TimerThread.class);

  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(1, Threads.named("holdfast-timer"));

  /** Starts when the first task comes. */
  public TimerThread() {
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Cancellable schedule(long delayNanos, Runnable task) {
    try {
      ScheduledFuture<?> future =
          executor.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      return () -> {}; // closed: nothing happens later any more
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.error("a timed task of a lock manager failed", e);
    }
  }

  @Override
  public void close() {
    executor.shutdown();
  }
}
