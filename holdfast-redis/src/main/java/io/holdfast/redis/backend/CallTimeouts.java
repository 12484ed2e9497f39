package io.holdfast.redis.backend;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends script calls that are not answered in time. Answers come in the order of the calls, so that
 * the oldest call under way is the first in a queue, and one look at it now and then does for all;
 * a timer for each call would cost more than the rest of its way through this process. Nothing is
 * planned while no call is under way.
 */
final class CallTimeouts {
  private static final int LOOKS_PER_TIMEOUT = 16;

  private final Queue<ScriptCall<?>> underWay = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean planned = new AtomicBoolean();
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Duration timeout;

  CallTimeouts(TimeSource time, Scheduler scheduler, Duration timeout) {
    this.time = time;
    this.scheduler = scheduler;
    this.timeout = timeout;
  }

  /** What calls are dated by. */
  long now() {
    return time.nanoTime();
  }

  void sent(ScriptCall<?> call) {
    underWay.add(call);
    planLook();
  }

  void answered(ScriptCall<?> call) {
    underWay.remove(call);
  }

  private void planLook() {
    if (!planned.get() && planned.compareAndSet(false, true)) {
      scheduler.schedule(timeout.toNanos() / LOOKS_PER_TIMEOUT, this::look);
    }
  }

  private void look() {
    try {
      long now = now();
      ScriptCall<?> oldest = underWay.peek();
      while (oldest != null && now - oldest.sentAt() >= timeout.toNanos()) {
        underWay.remove(oldest);
        oldest.completeExceptionally(
            new RedisCommandTimeoutException("no answer within " + timeout.toMillis() + " ms"));
        oldest = underWay.peek();
      }
    } finally {
      planned.set(false);
      if (!underWay.isEmpty()) { // after planned: one that was sent meanwhile is seen here
        planLook();
      }
    }
  }
}
