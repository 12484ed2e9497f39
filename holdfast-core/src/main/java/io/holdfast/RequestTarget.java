package io.holdfast;

import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.local.request.LockHandle;
import io.holdfast.internal.local.shared.LocalSemaphore;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a {@link LockRequest} takes: a lock, or some permits of a semaphore. */
interface RequestTarget {
  String kind();

  String key();

  LockConfig config();

  Claim claim();

  /** Who holds it and who waits. */
  LockInfo info();

  /** What to say if the calling thread waits for itself, or null. */
  @Nullable String selfWait();

  /** True if code under it runs as in {@code lock()}: owned by the thread, and reentrant. */
  boolean isOwnedByThread();

  /** Takes it for code of the calling thread: how to give it back, or null if it was busy. */
  @Nullable Runnable enter(AcquireSpec spec) throws InterruptedException;

  /** Takes it for a handle; null if it was busy for as long as it may wait. */
  @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException;

  /** Takes it for a handle without blocking. */
  CompletableFuture<Lease> acquireAsync(AcquireSpec spec);

  /**
   * It was busy for the whole time.
   *
   * @param waitNanos how long it was waited for; {@link AcquireSpec#FOREVER} if the retry policy
   *     has given up where the call itself would have waited on
   */
  default LockTimeoutException timeout(long waitNanos) {
    String waited =
        waitNanos == AcquireSpec.FOREVER
            ? "gave up as told by " + config().retryPolicy()
            : "gave up after %d ms".formatted(Math.max(0, Duration.ofNanos(waitNanos).toMillis()));
    String selfWait = selfWait();
    String ending = "; " + waited + (selfWait == null ? "" : "; " + selfWait);
    try {
      return new LockTimeoutException(kind(), key(), info() + ending);
    } catch (RuntimeException e) { // that it was busy is known; who holds it is not
      String text = "%s '%s' is busy, and who holds it cannot be asked%s";
      LockTimeoutException timeout =
          new LockTimeoutException(kind(), key(), text.formatted(kind(), key(), ending));
      timeout.addSuppressed(e);
      return timeout;
    }
  }

  /** A lock, or several as one. */
  record OfLock(LockHandle handle, LockConfig config, String key) implements RequestTarget {
    @Override
    public String kind() {
      return handle.kind();
    }

    @Override
    public Claim claim() {
      return handle.claim();
    }

    @Override
    public LockInfo info() {
      return handle.info();
    }

    @Override
    public @Nullable String selfWait() {
      return handle.selfWait();
    }

    @Override
    public boolean isOwnedByThread() {
      return true;
    }

    @Override
    public @Nullable Runnable enter(AcquireSpec spec) throws InterruptedException {
      return handle.lock(spec) ? handle::unlock : null;
    }

    @Override
    public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
      return handle.acquire(spec);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
      return handle.acquireAsync(spec);
    }

    @Override
    public String toString() {
      return "lock '" + key + "'";
    }
  }

  /** Permits. */
  record OfPermits(LocalSemaphore pool, LockConfig config, Claim claim) implements RequestTarget {
    @Override
    public String kind() {
      return pool.resource().kind().label();
    }

    @Override
    public String key() {
      return pool.key();
    }

    @Override
    public LockInfo info() {
      return pool.info();
    }

    @Override
    public @Nullable String selfWait() {
      return null; // a thread may well hold permits and wait for more
    }

    @Override
    public boolean isOwnedByThread() {
      return false;
    }

    @Override
    public @Nullable Runnable enter(AcquireSpec spec) throws InterruptedException {
      Lease lease = pool.acquire(spec);
      return lease == null ? null : lease::close;
    }

    @Override
    public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
      return pool.acquire(spec);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
      return pool.acquireAsync(spec);
    }

    @Override
    public String toString() {
      return "%d of semaphore '%s'".formatted(claim.amount(), key());
    }
  }
}
