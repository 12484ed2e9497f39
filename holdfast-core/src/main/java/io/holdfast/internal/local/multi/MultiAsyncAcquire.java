package io.holdfast.internal.local.multi;

import io.holdfast.Lease;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.local.request.LockHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Follows one part after the other; stops, and gives everything back, when the caller does. */
final class MultiAsyncAcquire {
  private final MultiHandle multi;
  private final List<LockHandle> parts;
  private final AcquireSpec spec;
  private final Context context;
  private final long startedAt;
  private final CompletableFuture<Lease> shown = new CompletableFuture<>();
  private final List<Lease> taken = new ArrayList<>();
  private volatile @Nullable CompletableFuture<Lease> current;

  MultiAsyncAcquire(MultiHandle multi, AcquireSpec spec) {
    this.multi = multi;
    this.parts = multi.parts();
    this.spec = spec;
    this.context = multi.engine().context();
    this.startedAt = context.now();
  }

  CompletableFuture<Lease> start() {
    shown.whenComplete(
        (lease, fault) -> {
          CompletableFuture<Lease> under = current;
          if (fault != null && under != null) {
            under.cancel(false);
          }
        });
    multi
        .allAtOnce()
        .attempt(spec)
        .whenComplete((holds, fault) -> context.futureLane().execute(() -> first(holds)));
    return shown;
  }

  private void first(@Nullable List<Hold> holds) {
    if (holds == null) {
      next();
    } else {
      multi.bindTogether(holds);
      Lease lease = multi.allAtOnce().lease(holds);
      if (!shown.complete(lease)) {
        lease.closeAsync();
      }
    }
  }

  private void next() {
    long left =
        spec.waitNanos() == AcquireSpec.FOREVER || spec.immediate()
            ? spec.waitNanos()
            : spec.waitNanos() - (context.now() - startedAt);
    if (left <= 0 && !spec.immediate()) {
      stop(multi.timeout("could not be had in time: one of its locks is busy"));
      return;
    }
    CompletableFuture<Lease> part = parts.get(taken.size()).acquireAsync(spec.waitingFor(left));
    current = part;
    part.whenComplete(this::arrived);
    if (shown.isDone()) {
      part.cancel(false);
    }
  }

  private void arrived(@Nullable Lease lease, @Nullable Throwable fault) {
    if (lease == null) {
      stop(fault);
      return;
    }
    taken.add(lease);
    if (shown.isDone()) {
      stop(null);
    } else if (taken.size() < parts.size()) {
      next();
    } else if (!taken.stream().allMatch(Lease::isValid)) {
      MultiHandle.giveBack(taken); // the first may have ended before the last came
      taken.clear();
      next();
    } else if (!shown.complete(multi.bound(taken))) {
      MultiHandle.giveBack(taken);
    }
  }

  private void stop(@Nullable Throwable fault) {
    MultiHandle.giveBack(taken);
    Throwable cause =
        fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
    shown.completeExceptionally(cause != null ? cause : new IllegalStateException("stopped"));
  }
}
