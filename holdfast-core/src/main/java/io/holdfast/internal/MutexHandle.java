package io.holdfast.internal;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The exclusive lock behind its public shell. */
final class MutexHandle implements LockHandle {
  private final GatedLock lock;

  MutexHandle(GatedLock lock) {
    this.lock = lock;
  }

  @Override
  public Claim claim() {
    return Claim.EXCLUSIVE;
  }

  @Override
  public boolean lock(Demand demand) throws InterruptedException {
    return lock.acquire(demand) != null;
  }

  @Override
  public @Nullable Lease acquire(Demand demand) throws InterruptedException {
    Hold hold = lock.acquire(demand);
    return hold == null ? null : new LeaseHandle(lock, hold);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Demand demand) {
    return new AsyncAcquire(lock, demand).start();
  }

  @Override
  public void unlock() {
    lock.unlock();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return lock.holdOfCurrentThread() != null;
  }

  @Override
  public boolean isDegraded() {
    Hold hold = lock.holdOfCurrentThread();
    return hold != null && hold.tenure.isDegraded();
  }

  @Override
  public boolean isKnownToCurrentThread() {
    return lock.isKnownToCurrentThread();
  }

  @Override
  public int holdCount() {
    return lock.holdOfCurrentThread() == null ? 0 : lock.gate().holds();
  }

  @Override
  public long token() {
    Hold hold = lock.holdOfCurrentThread();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "lock '%s' is not held by thread '%s', so it has no token to give"
              .formatted(lock.key(), Thread.currentThread().getName()));
    }
    return hold.token;
  }

  @Override
  public boolean isLocked() {
    return lock.localHold() != null || info().isLocked();
  }

  @Override
  public Duration remaining() {
    Hold hold = lock.localHold();
    if (hold != null) {
      return Duration.ofNanos(hold.tenure.remainingNanos(lock.engine().time().nanoTime()));
    }
    return info().holder().map(LockInfo.Holder::remaining).orElse(Duration.ZERO);
  }

  @Override
  public LockInfo info() {
    return Inspection.combine(
        lock.resource(),
        lock.engine().ask(lock.resource(), backend -> backend.inspect(lock.resource())),
        this::local,
        lock.gate().waiters());
  }

  private Inspection.@Nullable Local local(Owner owner) {
    Hold hold = lock.localHold();
    return hold != null && hold.tenure.owner().equals(owner)
        ? new Inspection.Local(hold.thread.getName(), hold.token, lock.gate().holds())
        : null;
  }

  @Override
  public boolean forceUnlock() {
    Hold local = lock.localHold();
    boolean forced =
        lock.engine().ask(lock.resource(), backend -> backend.forceRelease(lock.resource()));
    if (forced) {
      lock.engine().events().forced(lock.key());
      if (local != null) {
        lock.engine().lose(local.tenure, LossReason.GONE_FROM_STORE);
      }
    }
    return forced;
  }

  @Override
  public void addLossListener(Consumer<? super LockLoss> listener) {
    lock.listeners().add(listener);
  }

  @Override
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    lock.listeners().remove(listener);
  }

  @Override
  public void addReturnListener(Consumer<? super Finding> listener) {
    lock.listeners().addForReturns(listener);
  }

  @Override
  public void removeReturnListener(Consumer<? super Finding> listener) {
    lock.listeners().removeForReturns(listener);
  }
}
