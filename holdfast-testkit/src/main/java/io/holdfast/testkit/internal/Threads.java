package io.holdfast.testkit.internal;

import java.time.Duration;

/** Daemon threads: a forgotten proxy or monitor must not keep a JVM alive. */
public final class Threads {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Threads() {}

  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, "holdfast-testkit-" + name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Waits for the end of a thread that is about to end. */
  public static void join(Thread thread) {
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
    if (thread.isAlive()) {
      throw new IllegalStateException("thread " + thread.getName() + " does not end");
    }
  }
}
