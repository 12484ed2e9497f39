package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Things to be seen to after a while, the same for all, if they are not settled by then. Most are;
 * so one timer task, now and then, serves all of them, instead of one for each that would wake the
 * timer's thread for nothing.
 */
final class DelayedChecks<T> {
  private record Item<T>(T thing, long dueAt) {}

  private final BackendContext context;
  private final long delayNanos;
  private final long periodNanos;
  private final Predicate<T> isSettled;
  private final Consumer<T> seeTo;
  private final Queue<Item<T>> items = new ConcurrentLinkedQueue<>(); // those due first, first
  private final AtomicBoolean planned = new AtomicBoolean();

  /**
   * Nothing to do yet.
   *
   * @param delayNanos after which time to see to something
   * @param periodNanos how often to look; it may take so much longer
   */
  DelayedChecks(
      BackendContext context,
      long delayNanos,
      long periodNanos,
      Predicate<T> isSettled,
      Consumer<T> seeTo) {
    this.context = context;
    this.delayNanos = delayNanos;
    this.periodNanos = periodNanos;
    this.isSettled = isSettled;
    this.seeTo = seeTo;
  }

  void add(T thing) {
    items.add(new Item<>(thing, context.time().nanoTime() + delayNanos));
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
      boolean settled = isSettled.test(item.thing());
      if (!settled && now - item.dueAt() < 0) {
        break;
      }
      items.remove(item);
      if (!settled) {
        seeTo.accept(item.thing());
      }
    }
    if (!items.isEmpty()) {
      plan();
    }
  }
}
