package io.holdfast.internal.local.mutex;

import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.local.gate.LocalGate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread on its way through the gate and to the store. One object per call. */
final class BlockingAcquire {
  private final LocalMutex lock;
  private final AcquireSpec spec;
  private final LockEngine engine;
  private final Context context;
  private final long startedAt;
  private boolean interrupted;
  private boolean noted;

  BlockingAcquire(LocalMutex lock, AcquireSpec spec) {
    this.lock = lock;
    this.spec = spec;
    this.engine = lock.engine();
    this.context = engine.context();
    this.startedAt = context.now();
  }

  /** The hold, or null when the lock was busy for as long as the demand waits. */
  @Nullable Hold run() throws InterruptedException {
    if (!spec.immediate() && !spec.config().waitAlert().isZero()) {
      note();
    }
    try {
      int generation = enterGate();
      if (generation < 0) {
        if (!spec.immediate()) {
          lock.clearIdleTenure();
        }
        return gaveUp("busy in this process");
      }
      return inside(generation);
    } catch (InterruptedException e) {
      lock.clearIdleTenure();
      gaveUp("interrupted");
      throw e;
    } catch (RuntimeException e) {
      context.events().failed(lock.key(), startedAt, e);
      throw e;
    } finally {
      if (noted) {
        lock.waitEnds();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void note() {
    lock.waitBegins(startedAt);
    noted = true;
  }

  private int enterGate() throws InterruptedException {
    LocalGate gate = lock.gate();
    boolean fair = spec.config().fair();
    if (spec.immediate()) {
      return gate.tryEnter(spec.threadOwned());
    }
    if (fair && !noted) {
      int generation =
          Thread.currentThread().isInterrupted() ? -1 : gate.enterAtOnce(true, spec.threadOwned());
      if (generation >= 0) {
        return generation; // who need not wait needs no time of arrival
      }
      note(); // before it stands in the queue, where it is looked for
    }
    if (spec.waitNanos() == AcquireSpec.FOREVER) {
      return spec.interruptible()
          ? gate.enterInterruptibly(fair, spec.threadOwned())
          : gate.enter(fair, spec.threadOwned());
    }
    while (true) {
      try {
        return gate.enter(fair, spec.threadOwned(), remainingNanos());
      } catch (InterruptedException e) {
        keepOrThrow(e);
      }
    }
  }

  private @Nullable Hold inside(int generation) throws InterruptedException {
    Hold hold = null;
    try {
      context.requireOpen(lock.resource());
      hold = lock.takeOver(spec, generation, startedAt, Thread.currentThread());
      if (hold == null) {
        hold = lock.wouldOvertake(spec) ? gaveUp("busy") : fromStore(generation);
      }
    } finally {
      if (hold == null) {
        lock.exitWithoutHold(generation);
      }
    }
    return hold;
  }

  private @Nullable Hold fromStore(int generation) throws InterruptedException {
    Acquisition acquisition = lock.startAcquisition(spec, Thread.currentThread(), startedAt);
    Tenure tenure = await(acquisition);
    if (tenure == null) {
      return gaveUp("busy");
    }
    if (context.isClosed()) {
      throw lock.closedException();
    }
    return lock.begin(tenure, spec, generation, startedAt, Thread.currentThread());
  }

  private @Nullable Tenure await(Acquisition acquisition) throws InterruptedException {
    CompletableFuture<@Nullable Tenure> result = acquisition.result();
    boolean timeIsUp = spec.immediate(); // then the store's own time-out bounds the one attempt
    while (true) {
      try {
        Tenure tenure =
            Awaits.await(
                context.backend(), result, timeIsUp ? AcquireSpec.FOREVER : remainingNanos());
        RuntimeException silence = tenure == null ? acquisition.outageOrNull() : null;
        if (silence != null) {
          throw silence;
        }
        return tenure;
      } catch (TimeoutException e) {
        timeIsUp = true;
        acquisition.timeUp();
      } catch (InterruptedException e) {
        keepOrThrow(e, acquisition);
      }
    }
  }

  private void keepOrThrow(InterruptedException e) throws InterruptedException {
    if (spec.interruptible()) {
      throw e;
    }
    interrupted = true;
  }

  private void keepOrThrow(InterruptedException e, Acquisition acquisition)
      throws InterruptedException {
    if (!spec.interruptible()) {
      interrupted = true;
      return;
    }
    engine.giveUp(acquisition); // also if it was granted at this very moment
    throw e;
  }

  private long remainingNanos() {
    if (spec.waitNanos() == AcquireSpec.FOREVER) {
      return AcquireSpec.FOREVER;
    }
    return Math.max(0, spec.waitNanos() - (context.now() - startedAt));
  }

  private @Nullable Hold gaveUp(String why) {
    Duration waited = Duration.ofNanos(context.now() - startedAt);
    context.events().gaveUp(lock.key(), "", waited, why);
    return null;
  }
}
