package io.holdfast.internal.base;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps of closing a lock manager. A fault in one step does not keep the next from being taken, and
 * an interrupt neither shortens a step nor is lost.
 */
public final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  /** A wait that ends when something is done, or after some time. */
  @FunctionalInterface
  public interface Wait {
    /** True if it is done. */
    public boolean isOver(long nanos) throws InterruptedException;
  }

  private Closing() {}

  /**
   * Takes a step, on a thread that is not interrupted when it begins, and logs what goes wrong.
   *
   * @param name what is done, for the log
   */
  public static void step(String name, Runnable step) {
    boolean interrupted = Thread.interrupted();
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      log.warn("closing a lock manager: to {} failed; the rest is closed all the same", name, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Takes a step on a thread of its own, which nobody interrupts: drivers of stores stop half-way
   * when they are interrupted. A step that takes longer than the caller waits goes on behind it.
   */
  public static void stepApart(String name, Runnable step, Duration patience) {
    CountDownLatch done = new CountDownLatch(1);
    Runnable task =
        () -> {
          try {
            step(name, step);
          } finally {
            done.countDown();
          }
        };
    try {
      Threads.named("holdfast-close").newThread(task).start();
    } catch (OutOfMemoryError e) { // no thread to be had
      task.run();
    }
    if (!isOver(patience, nanos -> done.await(nanos, NANOSECONDS))) {
      log.warn("closing a lock manager: to {} takes long and goes on in the background", name);
    }
  }

  /** Waits until it is done or the time is over. An interrupt is kept for the caller. */
  public static boolean isOver(Duration patience, Wait wait) {
    boolean interrupted = false;
    long startedAt = System.nanoTime();
    try {
      while (true) {
        try {
          return wait.isOver(Math.max(0, patience.toNanos() - (System.nanoTime() - startedAt)));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
