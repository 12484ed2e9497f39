package io.holdfast.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Daemon threads with names that say whose they are. */
public final class Threads {
  private Threads() {}

  /** Makes daemon threads with this name and a number. */
  public static ThreadFactory named(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Where code of the application runs: a thread per task that is busy, none when all is quiet, so
   * that one callback that blocks cannot hold up another.
   */
  public static Executor callbacks() {
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        5,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        named("holdfast-callback"));
  }
}
