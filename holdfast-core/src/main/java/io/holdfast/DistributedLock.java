package io.holdfast;

import static io.holdfast.LockRequest.failIfInterrupted;
import static java.util.Objects.requireNonNull;

import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.local.request.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock that many processes share. It is a {@link Lock}: reentrant, owned by the thread that calls
 * {@code lock()}, and to be unlocked by it.
 *
 * <pre>{@code
 * DistributedLock lock = manager.getLock("stock:42");
 * lock.lock();
 * try {
 *   sell();
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>Or in one line, with both times by their names:
 *
 * <pre>{@code
 * lock.waitUpTo(ofSeconds(5)).leaseFor(ofSeconds(30)).run(() -> sell());
 * }</pre>
 *
 * <p>Without a lease of its own a held lock is renewed until it is unlocked. With one ({@link
 * #leaseFor}, {@code lock(30, SECONDS)}) it is never renewed and ends by itself. A {@link Duration}
 * that stands alone is a time to wait. {@link #acquire()} gives a {@link Lease} instead, which
 * belongs to no thread. Lock objects with the same key from the same {@link LockManager} are the
 * same lock; they are cheap and need not be kept.
 *
 * <p>Contention is a result: {@code tryLock} returns false and {@code tryAcquire} an empty {@link
 * Optional} only when the store has said that somebody else has the lock. A store that cannot be
 * reached is a {@link StoreUnavailableException}.
 */
public non-sealed class DistributedLock implements Lock, Acquirable {
  private final LockHandle handle;
  private final LockConfig config; // may be shared with others, and without the key
  private final String key;

  /** A second object for the same lock, for subclasses that find the lock in their own way. */
  protected DistributedLock(DistributedLock same) {
    this(same.handle, same.config, same.key);
  }

  DistributedLock(LockHandle handle, LockConfig config) {
    this(handle, config, LockRules.requireKey(config.lockKey()));
  }

  DistributedLock(LockHandle handle, LockConfig config, String key) {
    this.handle = handle;
    this.config = config;
    this.key = key;
  }

  // ---- owned by the calling thread

  /**
   * Waits for as long as it takes; renews while held. A thread that holds the lock already enters
   * once more and keeps the lease it has.
   */
  @Override
  public void lock() {
    lockOrThrow(renewed(true, AcquireSpec.FOREVER, false));
  }

  /**
   * Waits for as long as it takes; the lock ends by itself after the lease. A lease of -1 renews
   * instead, whatever the unit.
   */
  public void lock(long lease, TimeUnit unit) {
    if (lease == -1) {
      lock();
    } else {
      lockOrThrow(leased(duration("lease", lease, unit), AcquireSpec.FOREVER, false));
    }
  }

  /** Waits until interrupted; renews while held. */
  @Override
  public void lockInterruptibly() throws InterruptedException {
    failIfInterrupted();
    AcquireSpec spec = renewed(true, AcquireSpec.FOREVER, true);
    if (!handle.lock(spec)) {
      throw timeout(spec);
    }
  }

  /**
   * Takes the lock if it is free now; renews while held. It does not overtake those who wait: while
   * a writer waits for a read-write lock, to try to read is false, also at a moment at which nobody
   * holds it.
   */
  @Override
  public boolean tryLock() {
    return lockUninterruptibly(renewed(true, 0, false));
  }

  /**
   * Waits up to the time given for a lock that is busy; renews while held. The time does not cut
   * off the store's first answer: a store that does not answer at all is given the time-out of its
   * engine.
   */
  @Override
  public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
    return tryLock(Duration.ofNanos(requireUnit(unit).toNanos(wait)));
  }

  /** Waits up to the time given; renews while held. */
  public boolean tryLock(Duration wait) throws InterruptedException {
    failIfInterrupted();
    return handle.lock(renewed(true, AcquireSpec.nanos(wait), true));
  }

  /**
   * Waits up to the time given; the lock ends by itself after the lease. A lease of -1 renews
   * instead, whatever the unit.
   */
  public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
    Duration waitTime = Duration.ofNanos(requireUnit(unit).toNanos(wait));
    if (lease == -1) {
      return tryLock(waitTime);
    }
    Duration leaseTime = duration("lease", lease, unit);
    failIfInterrupted();
    return handle.lock(leased(leaseTime, AcquireSpec.nanos(waitTime), true));
  }

  /**
   * Unlocks once. The last unlock gives the lock back and waits for the store to confirm it; a
   * store that does not answer is asked again in the background.
   *
   * @throws IllegalMonitorStateException when the calling thread does not hold the lock
   * @throws LockLostException when it held the lock and lost it
   */
  @Override
  public void unlock() {
    handle.unlock();
  }

  /** Not supported: there are no conditions across processes. */
  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  // ---- handles, owned by whoever has them

  @Override
  public Lease acquire() {
    AcquireSpec spec = renewed(false, AcquireSpec.FOREVER, false);
    Lease lease = acquireUninterruptibly(spec);
    if (lease == null) {
      throw timeout(spec);
    }
    return lease;
  }

  @Override
  public Optional<Lease> tryAcquire() {
    return Optional.ofNullable(acquireUninterruptibly(renewed(false, 0, false)));
  }

  @Override
  public LockRequest request() {
    return new LockRequest(target());
  }

  // ---- questions

  @Override
  public String key() {
    return key;
  }

  @Override
  public LockConfig config() {
    boolean complete = key.equals(config.lockKey()) || !handle.hasOneKey();
    return complete ? config : config.withKey(key);
  }

  /**
   * True if the calling thread holds the lock and nobody else can have been given it. No round
   * trip. After a loss it is false, so {@code if (lock.isHeldByCurrentThread()) lock.unlock()}
   * never throws.
   */
  public boolean isHeldByCurrentThread() {
    return handle.isHeldByCurrentThread();
  }

  /** How often the calling thread holds the lock; no round trip. */
  public int getHoldCount() {
    return handle.holdCount();
  }

  /** True if anybody holds the lock; a round trip unless this process does. */
  public boolean isLocked() {
    return handle.isLocked();
  }

  /**
   * What is left of the lease, zero if the lock is free; a round trip unless this process has it.
   * Of a lock that the calling thread holds it is the time to the local deadline, as {@link
   * Lease#remaining()}: clock drift and loss margin ({@link LockConfig#clockDrift()}, {@link
   * LockConfig#lossMargin()}) are deducted, so that it is less than the lease from the beginning,
   * and zero before the store lets another in. Of a lock that others hold it is what the store
   * says.
   */
  public Duration remainingLease() {
    return handle.remaining();
  }

  /**
   * The fencing token of the calling thread's hold, as {@link Lease#token()}; no round trip.
   *
   * @throws IllegalMonitorStateException when the calling thread does not hold the lock
   */
  public long fencingToken() {
    return handle.token();
  }

  @Override
  public LockInfo info() {
    return handle.info();
  }

  /**
   * Takes the lock away from whoever holds it, who is told at its next renewal at the latest. For
   * operators: work done under the lock may still be going on. Of a read-write lock one side is
   * meant: the write lock is taken from a writer, the read lock from all readers, and the other
   * side is left alone.
   *
   * @return true if somebody held it
   */
  public boolean forceUnlock() {
    return handle.forceUnlock();
  }

  /**
   * True if the calling thread holds the lock and the store could not be reached when it was
   * granted, so that it counts in this process alone; see {@link Fallback}.
   */
  public boolean isDegraded() {
    return handle.isDegraded();
  }

  @Override
  public Subscription onLost(Consumer<? super LockLoss> listener) {
    handle.addLossListener(requireNonNull(listener, "listener must not be null"));
    return () -> handle.removeLossListener(listener);
  }

  @Override
  public Subscription onResumed(Consumer<? super Finding> listener) {
    handle.addReturnListener(requireNonNull(listener, "listener must not be null"));
    return () -> handle.removeReturnListener(listener);
  }

  @Override
  public String toString() {
    return "DistributedLock[" + key + "]";
  }

  // ---- from arguments to specifications

  private AcquireSpec renewed(boolean threadOwned, long waitNanos, boolean interruptible) {
    return new AcquireSpec(
        config, handle.claim(), threadOwned, config.leaseTime(), true, waitNanos, interruptible);
  }

  private AcquireSpec leased(Duration lease, long waitNanos, boolean interruptible) {
    return new AcquireSpec(
        config,
        handle.claim(),
        true,
        LockRules.requireLease(lease),
        false,
        waitNanos,
        interruptible);
  }

  private void lockOrThrow(AcquireSpec spec) {
    if (!lockUninterruptibly(spec)) {
      throw timeout(spec);
    }
  }

  private boolean lockUninterruptibly(AcquireSpec spec) {
    try {
      return handle.lock(spec);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  private @Nullable Lease acquireUninterruptibly(AcquireSpec spec) {
    try {
      return handle.acquire(spec);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }

  /** The retry policy has given up where the call itself would have waited on. */
  private LockTimeoutException timeout(AcquireSpec spec) {
    return target().timeout(spec.waitNanos());
  }

  private RequestTarget target() {
    return new RequestTarget.OfLock(handle, config, key);
  }

  private static TimeUnit requireUnit(TimeUnit unit) {
    return requireNonNull(unit, "unit must not be null");
  }

  private static Duration duration(String what, long time, TimeUnit unit) {
    requireUnit(unit);
    if (time <= 0) {
      throw new IllegalArgumentException(what + " must be positive, not " + time + " " + unit);
    }
    return Duration.ofNanos(unit.toNanos(time));
  }
}
