package io.holdfast.internal.local.request;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.SelfWait;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the public lock shell calls: the same questions and demands, whether an exclusive lock
 * answers them or one side of a read-write lock.
 */
public interface LockHandle {
  /** What it is, in messages. */
  String kind();

  /** What it claims in the store. */
  Claim claim();

  /** False for several locks as one. */
  default boolean hasOneKey() {
    return true;
  }

  /** Takes the lock for the calling thread; false if it was busy for as long as it may wait. */
  boolean lock(AcquireSpec spec) throws InterruptedException;

  /** Takes the lock for a handle; null if it was busy for as long as it may wait. */
  @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException;

  /** Takes the lock for a handle without blocking. */
  CompletableFuture<Lease> acquireAsync(AcquireSpec spec);

  /** Unlocks for the calling thread. */
  void unlock();

  /** True if the calling thread holds it validly. */
  boolean isHeldByCurrentThread();

  /** True if the calling thread holds it, and in this process alone. */
  boolean isDegraded();

  /** True if unlock() by the calling thread would end something: a hold, even one past its time. */
  boolean isKnownToCurrentThread();

  /** How often the calling thread holds it. */
  int holdCount();

  /** The token of the calling thread's hold. */
  long token();

  /** True if anybody holds it; asks the store unless this process does. */
  boolean isLocked();

  /** What is left of the lease: the local deadline if this process holds it, else as stored. */
  Duration remaining();

  /** Who holds it and who waits. */
  LockInfo info();

  /** What to say if the calling thread waits for itself, see {@link SelfWait}; else null. */
  @Nullable String selfWait();

  /** Takes it away from whoever holds it. */
  boolean forceUnlock();

  /** Adds a listener for every loss of this lock in this process. */
  void addLossListener(Consumer<? super LockLoss> listener);

  /** Removes it again. */
  void removeLossListener(Consumer<? super LockLoss> listener);

  /** Adds a listener for every return of this lock in this process. */
  void addReturnListener(Consumer<? super Finding> listener);

  /** Removes it again. */
  void removeReturnListener(Consumer<? super Finding> listener);
}
