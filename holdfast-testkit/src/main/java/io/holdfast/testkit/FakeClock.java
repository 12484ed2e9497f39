package io.holdfast.testkit;

import io.holdfast.LockManagerBuilder;
import io.holdfast.internal.BuilderAccess;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when a test moves it, with the tasks that are due on the way run by the
 * thread that moves it.
 *
 * <pre>{@code
 * FakeClock clock = new FakeClock();
 * LockManager manager = clock.drive(LockManager.builder("memory:"))
 *     .engine(new MemoryBackendProvider(new MemoryStore(clock)))
 *     .build();
 * DistributedLock lock = manager.getLock("k");
 * lock.lock(30, TimeUnit.SECONDS);
 * clock.advance(Duration.ofSeconds(30));     // the lease is over
 * assertThat(lock.isHeldByCurrentThread()).isFalse();
 * }</pre>
 *
 * <p>A thread that waits with a time-out ({@code tryLock(5, SECONDS)}) waits by the real clock; use
 * {@code waitUpTo(wait).acquireAsync()} to wait by this one.
 */
public final class FakeClock implements TimeSource, Scheduler {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long nanos;
  private long numberOfTasks;
  private Duration wallOffset = Duration.ZERO;

  /**
   * Lets this clock drive a manager: its leases, renewals, checks and time-outs.
   *
   * @return the builder
   */
  public LockManagerBuilder drive(LockManagerBuilder builder) {
    return BuilderAccess.time(builder, this, this);
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public synchronized Instant now() {
    return START.plusNanos(nanos).plus(wallOffset);
  }

  /** Lets the wall clock jump, forward or back; the monotonic one goes on as before. */
  public synchronized void jumpWallClock(Duration by) {
    wallOffset = wallOffset.plus(by);
  }

  /** Moves time forward and runs, in order and each at its own time, the tasks that come due. */
  public void advance(Duration by) {
    long end = nanoTime() + by.toNanos();
    for (Task task = nextUntil(end); task != null; task = nextUntil(end)) {
      task.run.run();
    }
    synchronized (this) {
      nanos = Math.max(nanos, end);
    }
  }

  private synchronized @Nullable Task nextUntil(long end) {
    Task first = tasks.peek();
    if (first == null || first.due > end) {
      return null;
    }
    tasks.poll();
    nanos = Math.max(nanos, first.due);
    return first;
  }

  @Override
  public synchronized Cancellable schedule(long delayNanos, Runnable run) {
    Task task = new Task(nanos + Math.max(0, delayNanos), numberOfTasks++, run);
    tasks.add(task);
    return () -> cancel(task);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  /** How many tasks wait for their time. */
  public synchronized int tasksWaiting() {
    return tasks.size();
  }

  private record Task(long due, long number, Runnable run) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }
}
