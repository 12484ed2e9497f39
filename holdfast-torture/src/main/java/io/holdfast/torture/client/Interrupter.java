package io.holdfast.torture.client;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Interrupts threads after a while, and never after they have said that it is too late. */
final class Interrupter {
  private final ScheduledThreadPoolExecutor timer;

  Interrupter() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "torture-interrupter");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  /** An interrupt that is planned. */
  final class Planned {
    private final ScheduledFuture<?> future;
    private boolean over;

    private Planned(Thread target, long millis) {
      future = timer.schedule(() -> strike(target), millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void strike(Thread target) {
      if (!over) {
        target.interrupt();
      }
    }

    /** From now on none comes; one that came and was not noticed is cleared. */
    void cancel() {
      synchronized (this) {
        over = true;
      }
      future.cancel(false);
      Thread.interrupted();
    }
  }

  /** Plans one for the calling thread. */
  Planned after(long millis) {
    return new Planned(Thread.currentThread(), millis);
  }

  void close() {
    timer.shutdownNow();
  }
}
