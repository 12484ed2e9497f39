package io.holdfast.redis.backend;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.TimeSource;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends script calls that are not answered in time. Answers come in the order of the calls, so the
 * oldest call is the first in a queue, and one timer checks it for all; a timer for each call would
 * cost more than the rest of its way through this process. The timer is off while no call is
 * pending.
 */
final class CallTimeouts {
  private static final int CHECKS_PER_TIMEOUT = 16;

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
      scheduler.schedule(timeout.toNanos() / CHECKS_PER_TIMEOUT, this::check);
    }
  }

  private void check() {
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
      if (!underWay.isEmpty()) { // checked after planned is cleared: a call sent meanwhile is seen
        planLook();
      }
    }
  }
}
