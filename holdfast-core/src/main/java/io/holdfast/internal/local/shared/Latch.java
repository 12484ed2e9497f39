package io.holdfast.internal.local.shared;

import io.holdfast.LatchInfo;
import io.holdfast.LockConfig;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.base.Callbacks;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.observe.Inspection;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler.Cancellable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A count-down latch. Waiting for its zero is an acquisition like any other, of something that is
 * granted to everyone at once when the count is zero and that nobody holds. So the watchdog sees
 * those who wait, as it sees those who wait for a lock; there is nothing it could renew, check in
 * the store or take back.
 */
public final class Latch implements TenureListener {
  /** One wait: how it goes on in the store, and how it ends for the caller. */
  private record Wait(Acquisition passage, CompletableFuture<Boolean> passed) {}

  private final Resource resource;
  private final LockConfig config;
  private final LockEngine engine;
  private final Context context;

  /** The latch with this key. */
  public Latch(String key, LockConfig config, LockEngine engine) {
    this.resource = new Resource(Resource.Kind.LATCH, key);
    this.config = config;
    this.engine = engine;
    this.context = engine.context();
  }

  @Override
  public Resource resource() {
    return resource;
  }

  @Override
  public void tenureLost(Tenure lost) {
    // nothing is held
  }

  // ---- counting and looking

  /** Sets the count if there is none. */
  public boolean trySet(long count) {
    return engine.queries().ask(resource, backend -> backend.trySetCount(resource, count));
  }

  /** The same without blocking. */
  public CompletableFuture<Boolean> trySetAsync(long count) {
    return Callbacks.completedOn(
        context.answerLane(),
        engine.queries().askAsync(resource, backend -> backend.trySetCount(resource, count)));
  }

  /** Counts down; what is left. */
  public long countDown() {
    return requireCounted(engine.queries().ask(resource, backend -> backend.countDown(resource)));
  }

  /** The same without blocking. */
  public CompletableFuture<Long> countDownAsync() {
    return Callbacks.completedOn(
        context.answerLane(),
        engine
            .queries()
            .askAsync(resource, backend -> backend.countDown(resource))
            .thenApply(this::requireCounted));
  }

  private long requireCounted(long left) {
    if (left < 0) {
      throw new IllegalStateException(
          "latch '%s' is open: it cannot be counted below zero; set a count first"
              .formatted(key()));
    }
    return left;
  }

  /** The count. */
  public long count() {
    return engine.queries().ask(resource, backend -> backend.count(resource));
  }

  /** The count and who waits. */
  public LatchInfo info() {
    return Inspection.ofLatch(
        resource, engine.queries().ask(resource, backend -> backend.inspect(resource)));
  }

  /** Opens it whatever its count; true if it was closed. */
  public boolean forceOpen() {
    return engine.forcedRelease().run(resource);
  }

  // ---- waiting

  /** Waits for zero; false if the time was over before. */
  public boolean await(long nanos) throws InterruptedException {
    Awaits.failIfInterrupted();
    context.requireOpen(resource);
    long startedAt = context.now();
    Wait wait = start(nanos);
    boolean timeIsUp = nanos <= 0;
    while (true) {
      try {
        boolean forever = timeIsUp || nanos == AcquireSpec.FOREVER;
        long left = Math.max(0, nanos - (context.now() - startedAt));
        return Awaits.await(context.backend(), wait.passed(), forever ? AcquireSpec.FOREVER : left);
      } catch (TimeoutException e) {
        timeIsUp = true;
        wait.passage().timeUp();
      } catch (InterruptedException e) {
        wait.passage().abandon();
        throw e;
      }
    }
  }

  /** Completes at zero; with false if the time was over before. */
  public CompletableFuture<Boolean> awaitAsync(long nanos) {
    context.requireOpen(resource);
    Wait wait = start(nanos);
    Cancellable timer =
        nanos == AcquireSpec.FOREVER || nanos <= 0
            ? () -> {}
            : context.scheduler().schedule(nanos, wait.passage()::timeUp);
    CompletableFuture<Boolean> shown = Callbacks.completedOn(context.futureLane(), wait.passed());
    shown.whenComplete(
        (open, fault) -> {
          timer.cancel();
          if (fault != null) {
            wait.passage().abandon();
          }
        });
    return shown;
  }

  /** Sets out; how it ends is counted and told before the caller knows. */
  private Wait start(long nanos) {
    long startedAt = context.now();
    AcquireSpec spec =
        new AcquireSpec(config, Claim.PASS, false, config.leaseTime(), false, nanos, true);
    Acquisition passage =
        engine.acquire(this, context.newOwner(), spec, Thread.currentThread(), startedAt);
    CompletableFuture<Boolean> passed =
        passage
            .result()
            .thenApply(tenure -> isPassed(passage, tenure))
            .whenComplete((open, fault) -> ended(passage, startedAt, open, fault));
    return new Wait(passage, passed);
  }

  private static boolean isPassed(Acquisition passage, @Nullable Tenure tenure) {
    if (tenure == null) {
      passage.throwIfOutage();
    }
    return tenure != null;
  }

  private void ended(
      Acquisition passage, long startedAt, @Nullable Boolean open, @Nullable Throwable fault) {
    if (Boolean.TRUE.equals(open)) {
      context.events().passed(key(), passage.owner(), passage.thread(), startedAt);
    } else {
      context.events().ended(key(), startedAt, fault);
    }
  }
}
