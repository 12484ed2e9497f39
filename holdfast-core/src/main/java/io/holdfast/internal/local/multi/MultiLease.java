package io.holdfast.internal.local.multi;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.local.request.LeaseHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Several leases as one: valid while all are, lost when the first is. */
final class MultiLease implements Lease {
  private final List<Lease> parts;
  private final Context context;

  MultiLease(List<Lease> parts, Context context) {
    this.context = context;
    this.parts = List.copyOf(parts);
  }

  @Override
  public String key() {
    return String.join(" + ", parts.stream().map(Lease::key).toList());
  }

  @Override
  public long token() {
    return parts.stream().mapToLong(Lease::token).max().orElse(0);
  }

  @Override
  public boolean isValid() {
    return parts.stream().allMatch(Lease::isValid);
  }

  @Override
  public boolean isDegraded() {
    return parts.stream().anyMatch(Lease::isDegraded);
  }

  @Override
  public Duration remaining() {
    return parts.stream().map(Lease::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
  }

  @Override
  public Lease onLost(Consumer<? super LockLoss> callback) {
    AtomicBoolean told = new AtomicBoolean();
    for (Lease part : parts) {
      part.onLost(
          loss -> {
            if (told.compareAndSet(false, true)) {
              callback.accept(loss);
            }
          });
    }
    return this;
  }

  @Override
  public Lease onResumed(Consumer<? super Finding> callback) {
    parts.forEach(part -> part.onResumed(callback));
    return this;
  }

  @Override
  public void close() {
    CompletableFuture<?>[] answers =
        parts.stream()
            .map(each -> each instanceof LeaseHandle part ? part.closeAndTell() : each.closeAsync())
            .toArray(CompletableFuture[]::new);
    Awaits.await(context.backend(), CompletableFuture.allOf(answers));
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    return CompletableFuture.allOf(
        parts.stream().map(Lease::closeAsync).toArray(CompletableFuture[]::new));
  }

  @Override
  public String toString() {
    return "Lease[%s, %s]".formatted(key(), isValid() ? "valid" : "over");
  }
}
