package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.local.shared.LocalSemaphore;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Permits that many processes share. Every acquisition gives a {@link Lease} for its permits;
 * closing it gives them back, and only it can. The permits of a process that crashed come back when
 * their lease ends.
 *
 * <p>The number of permits in the store decides how many can be taken. It is the one that every
 * process declares, until {@link #setPermits} changes it; from then on until it is set back the
 * declared numbers do not count. Whoever asks for more than there is waits until the number is
 * raised, or gets nothing from {@code tryAcquire}, as with {@link java.util.concurrent.Semaphore}.
 *
 * <p>Waiters are served in the order in which they came; one that wants more than there is at
 * present is passed over. While no other process waits, permits that a thread gives back go to the
 * next one of the same process without a word to the store; as soon as one does, only for a moment
 * ({@link LockConfig#handoffTime()}). With {@code fair(true)} never: then threads and processes
 * alike are served in strict order.
 *
 * <pre>{@code
 * DistributedSemaphore semaphore = manager.getSemaphore("reports", 3);
 * try (Lease permit = semaphore.acquire()) {
 *   renderReport();          // at most three at a time, in the whole fleet
 * }
 * semaphore.permits(2).waitUpTo(ofSeconds(5)).run(() -> renderBigReport());
 * }</pre>
 */
public final class DistributedSemaphore implements Acquirable {
  private final LocalSemaphore pool;
  private final LockConfig config;
  private final int declared;

  DistributedSemaphore(LocalSemaphore pool, LockConfig config, int declared) {
    this.pool = pool;
    this.config = config;
    this.declared = declared;
  }

  // ---- handles

  /** Waits for one permit for as long as it takes; renews while held. */
  @Override
  public Lease acquire() {
    return acquire(1);
  }

  /** Waits for several permits, all or none; if there are not so many, until there are. */
  public Lease acquire(int permits) {
    AcquireSpec spec = renewed(permits, AcquireSpec.FOREVER);
    Lease lease = acquireUninterruptibly(spec);
    if (lease == null) { // the retry policy has given up where the call itself would wait on
      throw target(permits).timeout(spec.waitNanos());
    }
    return lease;
  }

  /**
   * Waits for several permits until interrupted.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  public Lease acquireInterruptibly(int permits) throws InterruptedException {
    return permits(permits).acquire();
  }

  /** Takes one permit if there is one now and nobody waits. */
  @Override
  public Optional<Lease> tryAcquire() {
    return tryAcquire(1);
  }

  /** Takes several permits if they are there now and nobody waits who could be served. */
  public Optional<Lease> tryAcquire(int permits) {
    return Optional.ofNullable(acquireUninterruptibly(renewed(permits, 0)));
  }

  /**
   * Waits for several permits up to the time given.
   *
   * @throws InterruptedException when the thread is interrupted, before the call or while it waits
   */
  public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
    return permits(permits).waitUpTo(wait).tryAcquire();
  }

  /** Takes several permits without blocking; cancel the future to stop waiting. */
  public CompletableFuture<Lease> acquireAsync(int permits) {
    return permits(permits).acquireAsync();
  }

  @Override
  public LockRequest request() {
    return permits(1);
  }

  /** A sentence about several permits: {@code semaphore.permits(2).waitUpTo(...).run(...)}. */
  public LockRequest permits(int permits) {
    return new LockRequest(target(permits));
  }

  // ---- questions and orders

  @Override
  public String key() {
    return pool.key();
  }

  @Override
  public LockConfig config() {
    return config;
  }

  /** How many permits there are. */
  public int permits() {
    return pool.limit(declared);
  }

  /** How many permits nobody holds; less than zero after the number was lowered below that. */
  public int availablePermits() {
    return pool.available(declared);
  }

  /**
   * Changes how many permits there are, for every process, until it is changed again. Permits that
   * are held stay held; waiters that fit now are served. A waiter that wants more than there are
   * now goes on waiting until the number is raised again, and others are served past it.
   *
   * <p>While the number in the store differs from the one that the last process to change it has
   * declared, every declared number is accepted, so that a semaphore can be opened with the number
   * to come. Set to the declared number it is no longer remembered, and others must declare that.
   */
  public void setPermits(int permits) {
    pool.setLimit(declared, requirePermits(permits));
  }

  @Override
  public LockInfo info() {
    return pool.info();
  }

  /** Takes the permits away from everyone, who are told. For operators. */
  public boolean forceRelease() {
    return pool.forceRelease();
  }

  @Override
  public Subscription onLost(Consumer<? super LockLoss> listener) {
    pool.listeners().add(requireNonNull(listener, "listener must not be null"));
    return () -> pool.listeners().remove(listener);
  }

  @Override
  public Subscription onResumed(Consumer<? super Finding> listener) {
    pool.listeners().addForReturns(requireNonNull(listener, "listener must not be null"));
    return () -> pool.listeners().removeForReturns(listener);
  }

  @Override
  public String toString() {
    return "DistributedSemaphore[" + key() + "]";
  }

  static int requirePermits(int permits) {
    if (permits < 1) {
      throw new IllegalArgumentException("a semaphore has at least one permit, not " + permits);
    }
    return permits;
  }

  private Claim claim(int permits) {
    if (permits < 1) {
      throw new IllegalArgumentException("at least one permit is taken, not " + permits);
    }
    return Claim.permits(permits, declared);
  }

  private RequestTarget target(int permits) {
    return new RequestTarget.OfPermits(pool, config, claim(permits));
  }

  private AcquireSpec renewed(int permits, long waitNanos) {
    return new AcquireSpec(
        config, claim(permits), false, config.leaseTime(), true, waitNanos, false);
  }

  private @Nullable Lease acquireUninterruptibly(AcquireSpec spec) {
    try {
      return pool.acquire(spec);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait was interrupted", e);
    }
  }
}
