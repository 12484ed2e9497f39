package io.holdfast.internal.base;

import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bounded number of threads for callbacks of the application. A thread is started only if none is
 * idle, an idle one ends after a few seconds, and all of them end when the manager is closed. Tasks
 * above the bound queue up in order.
 *
 * <p>Callbacks may wait for each other: all threads may be blocked by callbacks that wait for a
 * lock whose lease is still in the queue. So one more thread is started whenever no task has begun
 * for a second although some are queued. It ends when the queue is empty.
 *
 * <p>Nobody looks every second after {@link #close}, since the timer of the manager is closed, too.
 * From then on no task may depend on a thread that is blocked:
 *
 * <ul>
 *   <li>The newest task goes first. What comes last is the end of whatever callbacks wait for.
 *   <li>Close starts threads for what is queued, one of them beyond any bound.
 *   <li>A task that comes later has an idle thread or a new one. A thread beyond the bounds ends
 *       after one task, so there are not many more than the callbacks that are blocked.
 * </ul>
 *
 * <p>Tasks must not throw.
 */
final class CallbackThreads implements Executor {
  /** What callbacks that are blocked for good can make of the bound. */
  static final int MOST_THREADS = 256;

  static final Duration STALL = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(CallbackThreads.class);
  private static final int THREADS_PER_CORE = 8;
  private static final int LEAST_BOUND = 32;
  private static final Duration KEEP_IDLE = Duration.ofSeconds(5);

  private final ThreadFactory factory;
  private final Scheduler scheduler;
  private final int bound;
  private final long keepIdleNanos;

  // All guarded by this.
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int threads;
  private int idle;
  private long begun;
  private boolean watched;
  private long begunWhenWatched;
  private boolean closed;

  /** Threads with this name, as many as suit this machine. */
  CallbackThreads(String name, Scheduler scheduler) {
    this(Threads.named(name), scheduler, defaultBound(), KEEP_IDLE);
  }

  CallbackThreads(ThreadFactory factory, Scheduler scheduler, int bound, Duration keepIdle) {
    this.factory = factory;
    this.scheduler = scheduler;
    this.bound = bound;
    this.keepIdleNanos = keepIdle.toNanos();
  }

  static int defaultBound() {
    int forCores = THREADS_PER_CORE * Runtime.getRuntime().availableProcessors();
    return Math.min(MOST_THREADS, Math.max(LEAST_BOUND, forCores));
  }

  @Override
  public void execute(Runnable task) {
    boolean start;
    boolean watch;
    synchronized (this) {
      waiting.add(task);
      boolean busy = waiting.size() > idle; // a thread that was notified still counts as idle
      start = busy && (closed || threads < bound);
      watch = busy && !start && startWatching();
      if (start) {
        threads++;
      } else {
        notify();
      }
    }
    if (start) {
      startThread();
    }
    if (watch) {
      scheduler.schedule(STALL.toNanos(), this::relieve);
    }
  }

  private void startThread() {
    try {
      factory.newThread(this::work).start();
    } catch (RuntimeException | Error e) {
      boolean others;
      synchronized (this) {
        threads--;
        others = threads > 0;
      }
      if (!others) {
        log.warn("no thread can be started for callbacks; they run on the calling thread", e);
        runAll();
      }
    }
  }

  private void work() {
    for (Runnable task = awaitTask(); task != null; task = isSurplus() ? null : awaitTask()) {
      task.run();
    }
  }

  /** True if this thread, one beyond the bounds, has done the task that it was started for. */
  private synchronized boolean isSurplus() {
    boolean surplus = closed && threads > MOST_THREADS + 1;
    if (surplus) {
      threads--;
    }
    return surplus;
  }

  /** The next task; null if this thread is to end. */
  private synchronized @Nullable Runnable awaitTask() {
    Thread.interrupted(); // meant for the task before
    long since = System.nanoTime();
    while (waiting.isEmpty()) {
      long left = keepIdleNanos - (System.nanoTime() - since);
      if (closed || threads > bound || left <= 0) {
        threads--;
        return null;
      }
      idle++;
      try {
        wait(left / 1_000_000 + 1);
      } catch (InterruptedException e) {
        // nobody may end this thread but close()
      } finally {
        idle--;
      }
    }
    return take();
  }

  private synchronized @Nullable Runnable take() {
    Runnable task = closed ? waiting.pollLast() : waiting.pollFirst();
    if (task != null) {
      begun++;
    }
    return task;
  }

  private void runAll() {
    for (Runnable task = take(); task != null; task = take()) {
      task.run();
    }
  }

  /** True if the caller is to plan the next look. */
  private synchronized boolean startWatching() {
    boolean start = !watched;
    if (start) {
      watched = true;
      begunWhenWatched = begun;
    }
    return start;
  }

  /** Starts one more thread if all of them are blocked. */
  private void relieve() {
    int queued;
    int more = 0;
    synchronized (this) {
      watched = false;
      queued = waiting.size();
      if (queued == 0 || closed) {
        return;
      }
      if (begun == begunWhenWatched && threads < MOST_THREADS) {
        more = ++threads;
      }
      startWatching();
    }
    scheduler.schedule(STALL.toNanos(), this::relieve);
    if (more > 0) {
      log.warn(
          "callbacks of the application block all threads for them and {} wait; thread {} is started",
          queued,
          more);
      startThread();
    }
  }

  /** Ends the threads as soon as they have nothing to do. What is queued, or comes later, runs. */
  void close() {
    int more;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      more = Math.min(waiting.size(), Math.max(1, MOST_THREADS - threads));
      threads += more;
      notifyAll();
    }
    for (int i = 0; i < more; i++) {
      startThread();
    }
  }
}
