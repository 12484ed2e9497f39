package io.holdfast.torture.client;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSegmentedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.LockRequest;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** From an operation to the call of the library. Null is returned when the lock was busy. */
final class Locks {
  private final LockManager manager;
  private final Duration lease;
  private final Interrupter interrupter;
  private final Losses losses;

  Locks(LockManager manager, Duration lease, Interrupter interrupter, Losses losses) {
    this.manager = manager;
    this.lease = lease;
    this.interrupter = interrupter;
    this.losses = losses;
    for (Primitive primitive : Primitive.values()) {
      if (primitive != Primitive.SEMAPHORE && primitive != Primitive.LATCH) {
        for (String key : primitive.keys()) {
          lock(primitive, key).onLost(loss -> losses.heard(System.nanoTime(), loss));
        }
      }
    }
  }

  LockManager manager() {
    return manager;
  }

  Losses losses() {
    return losses;
  }

  DistributedLock lock(Primitive primitive, String key) {
    return switch (primitive) {
      case LOCK, SEGMENT -> manager.getLock(key);
      case FAIR, TURNS -> manager.getFairLock(key);
      case READ -> readWrite(key).readLock();
      case WRITE -> readWrite(key).writeLock();
      case MULTI -> manager.getMultiLock(Primitive.MULTI.keys().toArray(new String[0]));
      case SEMAPHORE, LATCH -> throw new IllegalArgumentException("not a lock: " + primitive);
    };
  }

  private DistributedReadWriteLock readWrite(String key) {
    return manager.getReadWriteLock(key);
  }

  DistributedSemaphore semaphore(String key) {
    return manager.getSemaphore(key, Primitive.PERMITS);
  }

  /** One of the segments, whichever is free. */
  @Nullable Lease anySegment(Duration wait) throws InterruptedException {
    DistributedSegmentedLock segmented =
        manager.getSegmentedLock(Primitive.SEGMENTED, Primitive.SEGMENT.keys().size());
    return segmented.tryAcquireAny(wait).orElse(null);
  }

  /** Does what the operation says; null if the lock was busy for as long as one wanted to wait. */
  @Nullable Hold acquire(Operation operation) throws InterruptedException {
    if (operation.primitive() == Primitive.SEMAPHORE) {
      return handle(permits(operation));
    }
    DistributedLock lock = lock(operation.primitive(), operation.key());
    return switch (operation.how()) {
      case LOCK -> {
        if (operation.fixedLease()) {
          lock.lock(lease.toMillis(), TimeUnit.MILLISECONDS);
        } else {
          lock.lock();
        }
        yield new Hold.OfThread(lock);
      }
      case TRY -> lock.tryLock() ? new Hold.OfThread(lock) : null;
      case TIMED -> lockedInTime(lock, operation) ? new Hold.OfThread(lock) : null;
      case INTERRUPTIBLY -> {
        Interrupter.Planned planned = interrupter.after(operation.waitMillis());
        try {
          lock.lockInterruptibly();
          yield new Hold.OfThread(lock);
        } finally {
          planned.cancel();
        }
      }
      case HANDLE -> handle(handleOf(lock, operation));
      case ASYNC -> handle(result(inTime(lock.request(), operation).acquireAsync()));
    };
  }

  private boolean lockedInTime(DistributedLock lock, Operation operation)
      throws InterruptedException {
    long wait = operation.waitMillis();
    return operation.fixedLease()
        ? lock.tryLock(wait, lease.toMillis(), TimeUnit.MILLISECONDS)
        : lock.tryLock(wait, TimeUnit.MILLISECONDS);
  }

  private @Nullable Lease handleOf(DistributedLock lock, Operation operation)
      throws InterruptedException {
    if (operation.waitMillis() < 0) {
      return operation.fixedLease() ? lock.leaseFor(lease).acquire() : lock.acquire();
    }
    return inTime(lock.request(), operation).tryAcquire().orElse(null);
  }

  private LockRequest inTime(LockRequest request, Operation operation) {
    LockRequest waiting = request.waitUpTo(Duration.ofMillis(operation.waitMillis()));
    return operation.fixedLease() ? waiting.leaseFor(lease) : waiting;
  }

  private @Nullable Lease permits(Operation operation) throws InterruptedException {
    DistributedSemaphore semaphore = semaphore(operation.key());
    LockRequest request = semaphore.permits(operation.permits());
    if (operation.waitMillis() < 0) {
      return operation.fixedLease()
          ? request.leaseFor(lease).acquire()
          : semaphore.acquire(operation.permits());
    }
    if (operation.how() == How.ASYNC) {
      Duration wait = Duration.ofMillis(operation.waitMillis());
      return result(request.waitUpTo(wait).acquireAsync());
    }
    return inTime(request, operation).tryAcquire().orElse(null);
  }

  private static @Nullable Lease result(CompletableFuture<Lease> future)
      throws InterruptedException {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LockTimeoutException) {
        return null;
      }
      if (e.getCause() instanceof RuntimeException problem) {
        throw problem;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static @Nullable Hold handle(@Nullable Lease lease) {
    return lease == null ? null : new Hold.OfHandle(lease);
  }
}
