package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Runs a check for each item that is still open after a fixed delay; one timer serves all items.
 * Most items are settled in time, and a timer for each would wake the scheduler for nothing.
 */
final class DelayedChecks<T> {
  private record Item<T>(T value, long dueAt) {}

  private final BackendContext context;
  private final long delayNanos;
  private final long periodNanos;
  private final Predicate<T> isSettled;
  private final Consumer<T> check;
  private final Queue<Item<T>> items = new ConcurrentLinkedQueue<>(); // in order of dueAt
  private final AtomicBoolean planned = new AtomicBoolean();

  /**
   * Checks without any items yet.
   *
   * @param delayNanos how long an item may stay open
   * @param periodNanos the period of the timer, by which a check may be late
   * @param isSettled tells items that need no check any more
   */
  DelayedChecks(
      BackendContext context,
      long delayNanos,
      long periodNanos,
      Predicate<T> isSettled,
      Consumer<T> check) {
    this.context = context;
    this.delayNanos = delayNanos;
    this.periodNanos = periodNanos;
    this.isSettled = isSettled;
    this.check = check;
  }

  void add(T value) {
    items.add(new Item<>(value, context.time().nanoTime() + delayNanos));
    plan();
  }

  private void plan() {
    if (planned.compareAndSet(false, true)) {
      context.scheduler().schedule(periodNanos, this::run);
    }
  }

  private void run() {
    planned.set(false);
    long now = context.time().nanoTime();
    for (Item<T> item = items.peek(); item != null; item = items.peek()) {
      boolean settled = isSettled.test(item.value());
      if (!settled && now - item.dueAt() < 0) {
        break;
      }
      items.remove(item);
      if (!settled) {
        check.accept(item.value());
      }
    }
    if (!items.isEmpty()) {
      plan();
    }
  }
}
