package io.holdfast.internal;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The exclusive lock behind its public shell. All shells with the same key share it. */
final class MutexHandle extends GatedLock implements LockHandle {
  MutexHandle(String key, LockEngine engine) {
    super(key, engine);
  }

  @Override
  public Claim claim() {
    return Claim.EXCLUSIVE;
  }

  @Override
  public boolean lock(Demand demand) throws InterruptedException {
    return take(demand) != null;
  }

  @Override
  public @Nullable Lease acquire(Demand demand) throws InterruptedException {
    Hold hold = take(demand);
    return hold == null ? null : new LeaseHandle(this, hold);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Demand demand) {
    return new AsyncAcquire(this, demand).start();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return holdOfCurrentThread() != null;
  }

  @Override
  public boolean isDegraded() {
    Hold hold = holdOfCurrentThread();
    return hold != null && hold.tenure.isDegraded();
  }

  @Override
  public int holdCount() {
    return holdOfCurrentThread() == null ? 0 : gate().holds();
  }

  @Override
  public long token() {
    Hold hold = holdOfCurrentThread();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "lock '%s' is not held by thread '%s', so it has no token to give"
              .formatted(key(), Thread.currentThread().getName()));
    }
    return hold.token;
  }

  @Override
  public boolean isLocked() {
    return localHold() != null || info().isLocked();
  }

  @Override
  public Duration remaining() {
    Hold hold = localHold();
    if (hold != null) {
      return Duration.ofNanos(hold.tenure.remainingNanos(engine().time().nanoTime()));
    }
    return info().holder().map(LockInfo.Holder::remaining).orElse(Duration.ZERO);
  }

  @Override
  public LockInfo info() {
    return Inspection.combine(
        resource(),
        engine().questions().ask(resource(), backend -> backend.inspect(resource())),
        this::local,
        gate().waiters());
  }

  private Inspection.@Nullable Local local(Owner owner) {
    Hold hold = localHold();
    return hold != null && hold.tenure.owner().equals(owner)
        ? new Inspection.Local(hold.thread.getName(), hold.token, gate().holds())
        : null;
  }

  @Override
  public boolean forceUnlock() {
    return engine().forcedRelease().run(resource());
  }

  @Override
  public void addLossListener(Consumer<? super LockLoss> listener) {
    listeners().add(listener);
  }

  @Override
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    listeners().remove(listener);
  }

  @Override
  public void addReturnListener(Consumer<? super Finding> listener) {
    listeners().addForReturns(listener);
  }

  @Override
  public void removeReturnListener(Consumer<? super Finding> listener) {
    listeners().removeForReturns(listener);
  }
}
