package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the public lock shell calls. It keeps the package's other classes closed to the outside and
 * adds nothing of its own but the questions that need both the store and this process.
 */
public final class LockHandle {
  private final GatedLock lock;

  LockHandle(GatedLock lock) {
    this.lock = lock;
  }

  /** Takes the lock for the calling thread; false if it was busy for as long as it may wait. */
  public boolean lock(Demand demand) throws InterruptedException {
    return lock.acquire(demand) != null;
  }

  /** Takes the lock for a handle; null if it was busy for as long as it may wait. */
  public @Nullable Lease acquire(Demand demand) throws InterruptedException {
    Hold hold = lock.acquire(demand);
    return hold == null ? null : new LeaseHandle(lock, hold);
  }

  /** Takes the lock for a handle without blocking. */
  public CompletableFuture<Lease> acquireAsync(Demand demand) {
    return new AsyncAcquire(lock, demand).start();
  }

  /** Unlocks for the calling thread. */
  public void unlock() {
    lock.unlock();
  }

  /** True if the calling thread holds it validly. */
  public boolean isHeldByCurrentThread() {
    return lock.holdOfCurrentThread() != null;
  }

  /** How often the calling thread holds it. */
  public int holdCount() {
    return lock.holdOfCurrentThread() == null ? 0 : lock.gate().holds();
  }

  /** The token of the calling thread's hold. */
  public long token() {
    Hold hold = lock.holdOfCurrentThread();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "lock '%s' is not held by thread '%s', so it has no token to give"
              .formatted(lock.key(), Thread.currentThread().getName()));
    }
    return hold.token;
  }

  /** True if anybody holds it; asks the store unless this process does. */
  public boolean isLocked() {
    return lock.localHold() != null || info().isLocked();
  }

  /** What is left of the lease: the local deadline if this process holds it, else as stored. */
  public Duration remaining() {
    Hold hold = lock.localHold();
    if (hold != null) {
      return Duration.ofNanos(hold.tenure.remainingNanos(lock.engine().time().nanoTime()));
    }
    return info().holder().map(LockInfo.Holder::remaining).orElse(Duration.ZERO);
  }

  /** Who holds it and who waits. */
  public LockInfo info() {
    lock.engine().requireOpen(lock.key());
    Hold local = lock.localHold();
    return Inspection.combine(
        lock.key(),
        ask(lock.engine().backend().inspect(lock.key())),
        local,
        lock.gate().holds(),
        lock.gate().waiters());
  }

  /** Takes it away from whoever holds it. */
  public boolean forceUnlock() {
    lock.engine().requireOpen(lock.key());
    boolean forced = ask(lock.engine().backend().forceRelease(lock.key()));
    if (forced) {
      lock.engine().events().forced(lock.key());
      Hold local = lock.localHold();
      if (local != null) {
        lock.engine().lose(local.tenure, LossReason.GONE_FROM_STORE);
      }
    }
    return forced;
  }

  /** Adds a listener for every loss of this lock in this process. */
  public void addLossListener(Consumer<? super LockLoss> listener) {
    lock.addLossListener(listener);
  }

  /** Removes it again. */
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    lock.removeLossListener(listener);
  }

  boolean isIdle() {
    return lock.isIdle();
  }

  private <T> T ask(CompletionStage<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    question.whenComplete(
        (value, fault) -> {
          if (fault != null) {
            answer.completeExceptionally(lock.engine().explain(lock.key(), fault));
          } else {
            answer.complete(value);
          }
        });
    return Blocking.await(answer);
  }
}
