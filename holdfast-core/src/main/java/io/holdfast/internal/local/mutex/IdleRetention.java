package io.holdfast.internal.local.mutex;

import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Tenure;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A lock that nobody of this process uses at the moment and that stays here for a while: the next
 * use finds its tenure at the gate and asks nobody. It goes back to the store when it has not been
 * used for its time, and at once when another process wants it.
 *
 * <p>One timer per lock serves however many uses: when it runs and finds that the lock was used
 * since, it plans itself anew.
 */
final class IdleRetention {
  private final LockEngine engine;
  private final Context context;
  private final LocalMutex lock;
  private final AtomicBoolean planned = new AtomicBoolean();
  private volatile long until;
  private volatile @Nullable Tenure tenure;

  IdleRetention(LockEngine engine, LocalMutex lock) {
    this.engine = engine;
    this.context = engine.context();
    this.lock = lock;
  }

  /** Inside the gate: the tenure is left here when the gate opens. */
  void begin(Tenure left) {
    until = context.now() + left.config().linger().toNanos();
    tenure = left;
    left.handoff().startLingering();
    engine.confirmations().watch(left);
    plan();
  }

  private void plan() {
    if (planned.compareAndSet(false, true)) {
      context.scheduler().schedule(Math.max(0, until - context.now()), this::timeUp);
    }
  }

  private void timeUp() {
    planned.set(false);
    if (context.now() - until >= 0) {
      end();
    } else {
      plan();
    }
  }

  /** Gives it back, unless somebody uses it: then its next release decides. */
  void end() {
    Tenure left = tenure;
    if (left != null) {
      lock.clearIdleTenure(left);
    }
  }
}
