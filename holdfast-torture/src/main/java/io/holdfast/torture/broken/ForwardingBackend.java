package io.holdfast.torture.broken;

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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** An engine as it is, for subclasses that break a part of it. */
class ForwardingBackend implements LockBackend {
  final LockBackend real;

  ForwardingBackend(LockBackend real) {
    this.real = real;
  }

  @Override
  public String engine() {
    return real.engine();
  }

  @Override
  public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
    return real.acquire(request);
  }

  @Override
  public Optional<CompletionStage<List<AcquireResult>>> acquireAll(List<AcquireRequest> requests) {
    return real.acquireAll(requests);
  }

  @Override
  public CompletionStage<ReleaseResult> release(ReleaseRequest request) {
    return real.release(request);
  }

  @Override
  public CompletionStage<List<RenewResult>> renew(List<RenewRequest> batch) {
    return real.renew(batch);
  }

  @Override
  public CompletionStage<List<Boolean>> check(List<Holding> holdings) {
    return real.check(holdings);
  }

  @Override
  public CompletionStage<?> ping() {
    return real.ping();
  }

  @Override
  public CompletionStage<LockSnapshot> inspect(Resource resource) {
    return real.inspect(resource);
  }

  @Override
  public CompletionStage<Boolean> forceRelease(Resource resource, Holders holders) {
    return real.forceRelease(resource, holders);
  }

  @Override
  public CompletionStage<Boolean> setLimit(Resource resource, int declared, int limit) {
    return real.setLimit(resource, declared, limit);
  }

  @Override
  public CompletionStage<Boolean> trySetCount(Resource resource, long count) {
    return real.trySetCount(resource, count);
  }

  @Override
  public CompletionStage<Long> countDown(Resource resource) {
    return real.countDown(resource);
  }

  @Override
  public CompletionStage<Long> count(Resource resource) {
    return real.count(resource);
  }

  @Override
  public void close() {
    real.close();
  }
}
