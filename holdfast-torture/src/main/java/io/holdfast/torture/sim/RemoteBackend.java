package io.holdfast.torture.sim;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Holding;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import io.holdfast.spi.Resource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A store at the other end of a {@link Network}. */
final class RemoteBackend implements LockBackend {
  private final LockBackend store;
  private final Network network;

  RemoteBackend(LockBackend store, Network network) {
    this.store = store;
    this.network = network;
  }

  @Override
  public String engine() {
    return "simulated";
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    return network.ask(() -> store.acquire(request)).exceptionally(AcquireResult.Unknown::new);
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    return Optional.of(
        network
            .ask(() -> store.acquireAll(requests).orElseThrow())
            .exceptionally(fault -> List.of(new AcquireResult.Unknown(fault))));
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    return network.ask(() -> store.release(request)).exceptionally(ReleaseResult.Unknown::new);
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return network
        .ask(() -> store.renew(batch))
        .exceptionally(fault -> Collections.nCopies(batch.size(), new RenewResult.Unknown(fault)));
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return network.ask(() -> store.check(holdings));
  }

  @Override
  public CompletionStage<?> ping() {
    return network.ask(() -> store.ping().thenApply(pong -> true));
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return network.ask(() -> store.inspect(resource));
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return network.ask(() -> store.forceRelease(resource, holders));
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return network.ask(() -> store.setLimit(resource, declared, limit));
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return network.ask(() -> store.trySetCount(resource, count));
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return network.ask(() -> store.countDown(resource));
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return network.ask(() -> store.count(resource));
  }

  @Override
  public void close() {
    store.close();
  }
}
