package io.holdfast.internal.local.mutex;

import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.local.gate.LocalGate;
import io.holdfast.internal.local.request.LeaseHandle;
import io.holdfast.spi.Scheduler.Cancellable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way of {@link BlockingAcquire} for a caller that must not block: a callback waits at the gate
 * and the engine's future is followed instead of awaited. The application may cancel its future at
 * any time; a lock that arrives for a future that is done already is given back.
 */
final class AsyncAcquire {
  private final LocalMutex lock;
  private final AcquireSpec spec;
  private final LockEngine engine;
  private final Context context;
  private final Thread thread = Thread.currentThread();
  private final long startedAt;
  private final CompletableFuture<Lease> result = new CompletableFuture<>();

  private volatile boolean delivered;
  private volatile boolean failed;

  // All guarded by this.
  private boolean stopped;
  private LocalGate.@Nullable AsyncEntry waitingAtGate;
  private @Nullable Acquisition acquisition;
  private @Nullable Cancellable timer;

  AsyncAcquire(LocalMutex lock, AcquireSpec spec) {
    this.lock = lock;
    this.spec = spec;
    this.engine = lock.engine();
    this.context = engine.context();
    this.startedAt = context.now();
  }

  CompletableFuture<Lease> start() {
    context.requireOpen(lock.resource());
    result.whenComplete(
        (lease, fault) -> {
          if (!delivered) {
            stop(); // cancelled, or ended by the application in another way
          }
          if (!delivered && !failed) {
            context.events().gaveUp(lock.key(), "", waited(), "ended by the caller");
          }
        });
    if (spec.waitNanos() != AcquireSpec.FOREVER && !spec.immediate()) {
      synchronized (this) {
        timer = context.scheduler().schedule(spec.waitNanos(), this::timeUp);
      }
    }
    if (spec.immediate()) {
      int generation = lock.gate().tryEnter(false);
      if (generation < 0) {
        fail(timeout("it is held in this process"));
      } else {
        inside(generation);
      }
      return result;
    }
    LocalGate.AsyncEntry entry = lock.gate().enterAsync(this::inside, lock::clearIdleTenure);
    boolean tooLate;
    synchronized (this) {
      waitingAtGate = entry;
      tooLate = stopped;
    }
    if (tooLate && stop()) {
      fail(timeout("the time is over"));
    }
    return result;
  }

  private void inside(int generation) {
    if (isStopped() || context.isClosed()) {
      lock.exitWithoutHold(generation);
      fail(context.isClosed() ? lock.closedException() : timeout("the time is over"));
      return;
    }
    Hold hold = lock.takeOver(spec, generation, startedAt, thread);
    if (hold != null) {
      deliver(hold);
      return;
    }
    if (lock.wouldOvertake(spec)) {
      lock.exitWithoutHold(generation);
      fail(timeout("it is busy"));
      return;
    }
    Acquisition pursuit = lock.startAcquisition(spec, thread, startedAt);
    boolean tooLate;
    synchronized (this) {
      acquisition = pursuit;
      tooLate = stopped;
    }
    if (tooLate) {
      pursuit.abandon();
    }
    pursuit.result().whenComplete((tenure, fault) -> arrived(generation, pursuit, tenure, fault));
  }

  private void arrived(
      int generation, Acquisition pursuit, @Nullable Tenure tenure, @Nullable Throwable fault) {
    if (tenure != null && !context.isClosed()) {
      deliver(lock.begin(tenure, spec, generation, startedAt, thread));
      return;
    }
    lock.exitWithoutHold(generation);
    if (tenure != null) {
      fail(lock.closedException());
      return;
    }
    RuntimeException silence = pursuit.outageOrNull();
    if (fault != null) {
      fail(engine.queries().explain(lock.resource(), fault));
    } else if (silence != null) {
      fail(silence);
    } else {
      fail(timeout("it is busy"));
    }
  }

  /** Hands the lease over on a thread for the application; nobody there: back it goes. */
  private void deliver(Hold hold) {
    cancelTimer();
    LeaseHandle lease = new LeaseHandle(lock, hold);
    context
        .futureLane()
        .execute(
            () -> {
              delivered = true;
              if (!result.complete(lease)) {
                lock.release(hold);
              }
            });
  }

  private void timeUp() {
    Acquisition pursuit;
    synchronized (this) {
      pursuit = acquisition;
    }
    if (pursuit != null) {
      pursuit.timeUp();
    } else if (stop()) {
      fail(timeout("it is held in this process"));
    }
  }

  /**
   * Stops wherever it is; true if that was at the gate, so that nobody else will tell the caller.
   */
  private boolean stop() {
    LocalGate.AsyncEntry entry;
    Acquisition pursuit;
    synchronized (this) {
      stopped = true;
      entry = waitingAtGate;
      pursuit = acquisition;
    }
    cancelTimer();
    if (pursuit != null) {
      pursuit.abandon();
      return false;
    }
    boolean left = entry != null && entry.cancel();
    if (left) {
      lock.clearIdleTenure();
    }
    return left;
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private void fail(RuntimeException fault) {
    cancelTimer();
    if (!result.isDone()) {
      failed = true;
      context.events().failed(lock.key(), startedAt, fault);
    }
    context.futureLane().execute(() -> result.completeExceptionally(fault));
  }

  private LockTimeoutException timeout(String why) {
    return new LockTimeoutException(
        lock.resource().kind().label(),
        lock.key(),
        "lock '%s' could not be had within %d ms: %s"
            .formatted(lock.key(), waited().toMillis(), why));
  }

  private Duration waited() {
    return Duration.ofNanos(context.now() - startedAt);
  }

  private synchronized void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
