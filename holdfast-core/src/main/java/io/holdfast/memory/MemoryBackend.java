package io.holdfast.memory;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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
    return answer(() -> store.acquire(request, context.identity()));
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    return Optional.of(answer(() -> store.acquireAll(requests, context.identity())));
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    return answer(() -> store.release(request.resource(), request.owner()));
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return answer(() -> batch.stream().map(this::renew).toList());
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return answer(() -> holdings.stream().map(this::holds).toList());
  }

  @Override
  public CompletionStage<?> ping() {
    return answer(() -> true);
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return answer(() -> store.inspect(resource));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return answer(() -> store.forceRelease(resource, holders));
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return answer(
        () -> {
          store.setLimit(resource, declared, limit);
          return true;
        });
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return answer(() -> store.trySetCount(resource, count));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return answer(() -> store.countDown(resource));
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return answer(() -> store.count(resource));
  }

  /** What is wrong with one key is no concern of the others. */
  private RenewResult renew(RenewRequest request) {
    try {
      return store.renew(request, context.identity());
    } catch (BackendException e) {
      return new RenewResult.Lost(); // the key is something else by now
    }
  }

  private boolean holds(Holding holding) {
    try {
      return store.holds(holding);
    } catch (BackendException e) {
      return false;
    }
  }

  private static <T> CompletionStage<T> answer(Supplier<T> work) {
    try {
      return CompletableFuture.completedFuture(work.get());
    } catch (BackendException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() {
    store.disconnect(context);
  }
}
