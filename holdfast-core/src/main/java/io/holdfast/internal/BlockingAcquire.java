package io.holdfast.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread on its way through the gate and to the store. One object per call. */
final class BlockingAcquire {
  private final GatedLock lock;
  private final Demand demand;
  private final LockEngine engine;
  private final long startedAt;
  private boolean interrupted;
  private boolean noted;

  BlockingAcquire(GatedLock lock, Demand demand) {
    this.lock = lock;
    this.demand = demand;
    this.engine = lock.engine();
    this.startedAt = engine.time().nanoTime();
  }

  /** The hold, or null when the lock was busy for as long as the demand waits. */
  @Nullable Hold run() throws InterruptedException {
    if (!demand.immediate() && !demand.config().waitAlert().isZero()) {
      note();
    }
    try {
      int generation = enterGate();
      if (generation < 0) {
        if (!demand.immediate()) {
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
      engine.events().failed(lock.key(), startedAt, e);
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
    boolean fair = demand.config().fair();
    if (demand.immediate()) {
      return gate.tryEnter(demand.threadOwned());
    }
    if (fair && !noted) {
      int generation =
          Thread.currentThread().isInterrupted()
              ? -1
              : gate.enterAtOnce(true, demand.threadOwned());
      if (generation >= 0) {
        return generation; // who need not wait needs no time of arrival
      }
      note(); // before it stands in the queue, where it is looked for
    }
    if (demand.waitNanos() == Demand.FOREVER) {
      return demand.interruptible()
          ? gate.enterInterruptibly(fair, demand.threadOwned())
          : gate.enter(fair, demand.threadOwned());
    }
    while (true) {
      try {
        return gate.enter(fair, demand.threadOwned(), remainingNanos());
      } catch (InterruptedException e) {
        keepOrThrow(e);
      }
    }
  }

  private @Nullable Hold inside(int generation) throws InterruptedException {
    Hold hold = null;
    try {
      engine.requireOpen(lock.resource());
      hold = lock.takeOver(demand, generation, startedAt, Thread.currentThread());
      if (hold == null) {
        hold = lock.wouldOvertake(demand) ? gaveUp("busy") : fromStore(generation);
      }
    } finally {
      if (hold == null) {
        lock.leaveEmptyHanded(generation);
      }
    }
    return hold;
  }

  private @Nullable Hold fromStore(int generation) throws InterruptedException {
    Acquisition acquisition = lock.setOut(demand, Thread.currentThread(), startedAt);
    Tenure tenure = await(acquisition);
    if (tenure == null) {
      return gaveUp("busy");
    }
    if (engine.isClosed()) {
      throw lock.closedException();
    }
    return lock.begin(tenure, demand, generation, startedAt, Thread.currentThread());
  }

  private @Nullable Tenure await(Acquisition acquisition) throws InterruptedException {
    CompletableFuture<@Nullable Tenure> result = acquisition.result();
    boolean timeIsUp = demand.immediate(); // then the store's own time-out bounds the one attempt
    while (true) {
      try {
        Tenure tenure =
            Blocking.await(engine.backend(), result, timeIsUp ? Demand.FOREVER : remainingNanos());
        RuntimeException silence = tenure == null ? acquisition.faultBehindSilence() : null;
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
    if (demand.interruptible()) {
      throw e;
    }
    interrupted = true;
  }

  private void keepOrThrow(InterruptedException e, Acquisition acquisition)
      throws InterruptedException {
    if (!demand.interruptible()) {
      interrupted = true;
      return;
    }
    engine.giveUp(acquisition); // also if it was granted at this very moment
    throw e;
  }

  private long remainingNanos() {
    if (demand.waitNanos() == Demand.FOREVER) {
      return Demand.FOREVER;
    }
    return Math.max(0, demand.waitNanos() - (engine.time().nanoTime() - startedAt));
  }

  private @Nullable Hold gaveUp(String why) {
    Duration waited = Duration.ofNanos(engine.time().nanoTime() - startedAt);
    engine.events().gaveUp(lock.key(), "", waited, why);
    return null;
  }
}
