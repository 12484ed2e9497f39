package io.holdfast;

import io.holdfast.internal.BuilderAccess;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Clocks and a scheduler that stand still until a test moves them. Tasks that come due run on the
 * thread that moves the time.
 */
public final class ManualTime implements TimeSource, Scheduler {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private record Task(long due, long number, Runnable action) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Task> tasks = new PriorityQueue<>();
  private long nanos = 1;
  private long number;

  /** Lets this clock drive a manager. */
  public LockManagerBuilder drive(LockManagerBuilder builder) {
    return BuilderAccess.time(builder, this, this);
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public synchronized Instant now() {
    return EPOCH.plusNanos(nanos);
  }

  @Override
  public synchronized Cancellable schedule(long delayNanos, Runnable action) {
    Task task = new Task(nanos + Math.max(0, delayNanos), number++, action);
    tasks.add(task);
    return () -> cancel(task);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  /** Moves the time and runs what comes due on the way, each at its time. */
  public void advance(Duration by) {
    long until = nanoTime() + by.toNanos();
    for (Task task = nextDue(until); task != null; task = nextDue(until)) {
      task.action.run();
    }
  }

  /** Moves the clocks alone, as if the process had been paused: nothing has run yet. */
  public synchronized void pause(Duration by) {
    nanos += by.toNanos();
  }

  /** How long until the next task; for ever if there is none. */
  public synchronized Duration untilNextTask() {
    Task next = tasks.peek();
    return Duration.ofNanos(next == null ? Long.MAX_VALUE : Math.max(0, next.due - nanos));
  }

  /**
   * The next task until then, with the clocks at its time; else null, with the clocks at the end.
   */
  private synchronized @Nullable Task nextDue(long until) {
    Task next = tasks.peek();
    if (next == null || next.due > until) {
      nanos = Math.max(nanos, until);
      return null;
    }
    tasks.remove();
    nanos = Math.max(nanos, next.due);
    return next;
  }
}
