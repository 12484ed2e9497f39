package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One manager's connection to a {@link MemoryStore}. Every answer is there at once. */
final class MemoryBackend implements LockBackend {
  private final MemoryStore store;
  private final BackendContext context;

  MemoryBackend(MemoryStore store, BackendContext context) {
    this.store = store;
    this.context = context;
    store.connect(context);
  }

  @Override
  public String engine() {
    return "memory";
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    return CompletableFuture.completedFuture(store.acquire(request));
  }

  @Override
  public CompletionStage<ReleaseResult> release(String key, Owner owner) {
    return CompletableFuture.completedFuture(store.release(key, owner));
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return CompletableFuture.completedFuture(batch.stream().map(store::renew).toList());
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(String key) {
    return CompletableFuture.completedFuture(store.inspect(key));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(String key) {
    return CompletableFuture.completedFuture(store.forceRelease(key));
  }

  @Override
  public void close() {
    store.disconnect(context);
  }
}
