package io.holdfast.internal.local.request;

import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.spi.Scheduler.Cancellable;
import io.holdfast.spi.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A request that is under way and ends with a hold, with null because it was busy for as long as it
 * may wait, or with a fault. It is driven by callbacks; here a thread waits for it, or a future
 * follows it.
 */
public interface PendingAcquire {
  /** How it ends. */
  CompletableFuture<@Nullable Hold> result();

  /** The time to wait is over: ends soon. */
  void timeUp();

  /** Nobody is interested any more: ends at once, or its hold is given back by whoever gave up. */
  void abandon();

  /** Waits on the calling thread, as the demand says. */
  static @Nullable Hold await(PendingAcquire pursuit, AcquireSpec spec, Releasable owner)
      throws InterruptedException {
    TimeSource time = owner.context().time();
    long startedAt = time.nanoTime();
    boolean timeIsUp = spec.immediate(); // then the store's own time-out bounds the one attempt
    boolean interrupted = false;
    try {
      while (true) {
        long waited = time.nanoTime() - startedAt;
        boolean forever = timeIsUp || spec.waitNanos() == AcquireSpec.FOREVER;
        try {
          return Awaits.await(
              owner.context().backend(),
              pursuit.result(),
              forever ? AcquireSpec.FOREVER : Math.max(0, spec.waitNanos() - waited));
        } catch (TimeoutException e) {
          timeIsUp = true;
          pursuit.timeUp();
        } catch (InterruptedException e) {
          if (spec.interruptible()) {
            giveUp(pursuit, owner);
            throw e;
          }
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A future for the application, which may cancel it. */
  static CompletableFuture<Lease> follow(
      PendingAcquire pursuit, AcquireSpec spec, Releasable owner) {
    Context context = owner.context();
    CompletableFuture<Lease> shown = new CompletableFuture<>();
    Cancellable timer =
        spec.immediate() || spec.waitNanos() == AcquireSpec.FOREVER
            ? () -> {}
            : context.scheduler().schedule(spec.waitNanos(), pursuit::timeUp);
    shown.whenComplete(
        (lease, fault) -> {
          timer.cancel();
          if (!(lease instanceof LeaseHandle)) {
            giveUp(pursuit, owner); // cancelled, or ended by the application in another way
          }
        });
    pursuit
        .result()
        .whenComplete(
            (hold, fault) ->
                context.futureLane().execute(() -> show(shown, hold, fault, spec, owner)));
    return shown;
  }

  private static void show(
      CompletableFuture<Lease> shown,
      @Nullable Hold hold,
      @Nullable Throwable fault,
      AcquireSpec spec,
      Releasable owner) {
    if (hold != null) {
      shown.complete(new LeaseHandle(owner, hold)); // given back by giveUp if it came too late
    } else if (fault != null) {
      shown.completeExceptionally(owner.engine().queries().explain(owner.resource(), fault));
    } else {
      shown.completeExceptionally(
          new LockTimeoutException(
              owner.resource().kind().label(),
              owner.resource().key(),
              "%s could not be had within %d ms: it is busy"
                  .formatted(owner.resource(), spec.waitNanos() / 1_000_000)));
    }
  }

  private static void giveUp(PendingAcquire pursuit, Releasable owner) {
    pursuit.abandon();
    pursuit
        .result()
        .whenComplete(
            (hold, fault) -> {
              if (hold != null) {
                owner.release(hold);
              }
            });
  }
}
