package io.holdfast.internal.base;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The store, and behind it a small one in memory for owners that were granted process-local locks
 * while the store could not be reached ({@link io.holdfast.Fallback}). Which of the two an owner
 * belongs to stands in its id, so nothing can go to the wrong one, whenever it comes. A batch is of
 * one kind.
 */
public final class RoutedBackend implements LockBackend {
  private static final String LOCAL = "local-";

  private final LockBackend store;
  private final BackendContext context;
  private volatile @Nullable LockBackend local;

  public RoutedBackend(LockBackend store, BackendContext context) {
    this.store = store;
    this.context = context;
  }

  /** The tenure id of an owner that belongs to this process alone. */
  public static String localId(String tenureId) {
    return LOCAL + tenureId;
  }

  public static boolean isLocal(Owner owner) {
    return owner.tenureId().startsWith(LOCAL);
  }

  private LockBackend of(Owner owner) {
    return isLocal(owner) ? local() : store;
  }

  private LockBackend local() {
    LockBackend present = local;
    return present != null ? present : openLocal();
  }

  private synchronized LockBackend openLocal() {
    if (local == null) {
      local = new MemoryBackendProvider(new MemoryStore(context.time())).open("memory:", context);
    }
    return local;
  }

  @Override
  public String engine() {
    return store.engine();
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    return of(request.owner()).acquire(request);
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    return store.acquireAll(requests);
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    return of(request.owner()).release(request);
  }

  @Override
  public ReleaseAndAcquire releaseAndAcquire(ReleaseRequest release, AcquireRequest next) {
    return isLocal(release.owner()) || isLocal(next.owner())
        ? LockBackend.super.releaseAndAcquire(release, next)
        : store.releaseAndAcquire(release, next);
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return of(batch.get(0).owner()).renew(batch);
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return of(holdings.get(0).owner()).check(holdings);
  }

  @Override
  public CompletionStage<?> ping() {
    return store.ping();
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return store.inspect(resource);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return store.forceRelease(resource, holders);
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return store.setLimit(resource, declared, limit);
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return store.trySetCount(resource, count);
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return store.countDown(resource);
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return store.count(resource);
  }

  @Override
  public int connections() {
    return store.connections();
  }

  @Override
  public void assist(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    store.assist(awaited, nanos);
  }

  @Override
  public void close() {
    try {
      store.close();
    } finally {
      LockBackend present = local;
      if (present != null) {
        present.close();
      }
    }
  }
}
