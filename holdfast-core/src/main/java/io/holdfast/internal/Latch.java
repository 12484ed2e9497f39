package io.holdfast.internal;

import io.holdfast.LockConfig;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler.Cancellable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A count-down latch. Waiting for its zero is an acquisition like any other, of something that is
 * granted to everyone at once when the count is zero and that nobody holds.
 */
public final class Latch implements TenureHolder {
  private final Resource resource;
  private final LockConfig config;
  private final LockEngine engine;

  /** The latch with this key. */
  public Latch(String key, LockConfig config, LockEngine engine) {
    this.resource = new Resource(Resource.Kind.LATCH, key);
    this.config = config;
    this.engine = engine;
  }

  @Override
  public Resource resource() {
    return resource;
  }

  @Override
  public void tenureLost(Tenure lost) {
    // nothing is held
  }

  /** Sets the count if there is none. */
  public boolean trySet(long count) {
    return engine.ask(resource, backend -> backend.trySetCount(resource, count));
  }

  /** Counts down; what is left, or -1 if it was open. */
  public long countDown() {
    return engine.ask(resource, backend -> backend.countDown(resource));
  }

  /** The count. */
  public long count() {
    return engine.ask(resource, backend -> backend.count(resource));
  }

  /** Waits for zero; false if the time was over before. */
  public boolean await(long nanos) throws InterruptedException {
    engine.requireOpen(key());
    long startedAt = System.nanoTime();
    Acquisition passage = set(nanos);
    boolean timeIsUp = nanos <= 0;
    while (true) {
      try {
        boolean forever = timeIsUp || nanos == Demand.FOREVER;
        long left = Math.max(0, nanos - (System.nanoTime() - startedAt));
        return passed(passage, Blocking.await(passage.result(), forever ? Demand.FOREVER : left));
      } catch (TimeoutException e) {
        timeIsUp = true;
        passage.timeUp();
      } catch (InterruptedException e) {
        passage.abandon();
        throw e;
      }
    }
  }

  /** Completes at zero; with false if the time was over before. */
  public CompletableFuture<Boolean> awaitAsync(long nanos) {
    engine.requireOpen(key());
    Acquisition passage = set(nanos);
    Cancellable timer =
        nanos == Demand.FOREVER || nanos <= 0
            ? () -> {}
            : engine.scheduler().schedule(nanos, passage::timeUp);
    CompletableFuture<Boolean> shown =
        AsyncAcquire.onCallbacks(
            passage.result().thenApply(tenure -> passed(passage, tenure)), engine.callbacks());
    shown.whenComplete(
        (open, fault) -> {
          timer.cancel();
          if (fault != null) {
            passage.abandon();
          }
        });
    return shown;
  }

  private Acquisition set(long nanos) {
    Demand demand = new Demand(config, Claim.PASS, false, config.leaseTime(), false, nanos, true);
    return engine.acquire(
        this, engine.newOwner(), demand, Thread.currentThread(), engine.time().nanoTime());
  }

  private static boolean passed(Acquisition passage, @Nullable Tenure tenure) {
    if (tenure == null) {
      passage.throwFaultBehindSilence();
    }
    return tenure != null;
  }
}
