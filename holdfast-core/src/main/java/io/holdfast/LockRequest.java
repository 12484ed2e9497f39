package io.holdfast;

import static java.util.Objects.requireNonNull;

import io.holdfast.internal.base.LockRules;
import io.holdfast.internal.base.ReadableTime;
import io.holdfast.internal.lease.AcquireSpec;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A lock, or permits of a semaphore, together with how long to wait and for how long to hold. It
 * reads as a sentence, so that the two times cannot be mixed up:
 *
 * <pre>{@code
 * lock.waitUpTo(ofSeconds(5)).leaseFor(ofSeconds(30)).run(() -> sell());
 * int left = lock.waitUpTo(ofSeconds(5)).call(() -> sellOne());
 * boolean done = lock.noWait().tryRun(() -> cleanUp());          // unless another process does
 * try (Lease lease = lock.leaseFor(ofMinutes(1)).acquire()) { ... }
 * Optional<Lease> two = semaphore.permits(2).waitUpTo(ofSeconds(1)).tryAcquire();
 * lock.waitUpTo(ofSeconds(5)).callAsync(lease -> store.writeAsync(data, lease.token()));
 * }</pre>
 *
 * <p>Immutable and cheap: nothing is asked of the store before one of the last words of a sentence.
 *
 * <ul>
 *   <li>{@link #waitUpTo} is for how long a busy lock is waited for. Without it {@code run}, {@code
 *       call}, {@code acquire} and the futures wait for as long as it takes; what begins with
 *       {@code try} does not wait.
 *   <li>{@link #leaseFor} is for how long the lock is held at most: it is not renewed and ends by
 *       itself. Without it the lock is renewed until it is given back.
 * </ul>
 *
 * <p>On a lock {@code run}, {@code call} and {@code tryRun} enter as {@code lock()} does: the
 * thread owns the lock, and may enter again. A lock that the thread holds already keeps its lease.
 * Everything else gives a {@link Lease}, which is not reentrant.
 *
 * <p>What waits on a thread can be interrupted, and takes nothing on a thread that is interrupted
 * already. Contention is a result of what begins with {@code try}, and a {@link
 * LockTimeoutException} that says who holds the lock elsewhere.
 */
public final class LockRequest {
  /**
   * Code without a result that runs under a lock.
   *
   * @param <X> the checked exception that it may throw
   */
  @FunctionalInterface
  public interface Action<X extends Exception> {
    /** Does the work. */
    void run() throws X;
  }

  /**
   * Code with a result that runs under a lock.
   *
   * @param <T> its result
   * @param <X> the checked exception that it may throw
   */
  @FunctionalInterface
  public interface Body<T extends @Nullable Object, X extends Exception> {
    /** Does the work. */
    T call() throws X;
  }

  private final RequestTarget target;
  private final @Nullable Duration wait;
  private final @Nullable Duration lease;

  LockRequest(RequestTarget target) {
    this(target, null, null);
  }

  private LockRequest(RequestTarget target, @Nullable Duration wait, @Nullable Duration lease) {
    this.target = target;
    this.wait = wait;
    this.lease = lease;
  }

  // ---- the sentence

  /** Waits for a busy lock for this time at most. Zero is {@link #noWait()}. */
  public LockRequest waitUpTo(Duration wait) {
    return new LockRequest(target, requireNonNull(wait, "wait must not be null"), lease);
  }

  /** Does not wait for a busy lock. */
  public LockRequest noWait() {
    return waitUpTo(Duration.ZERO);
  }

  /** Holds for this time at most: the lock is not renewed and ends by itself. */
  public LockRequest leaseFor(Duration lease) {
    return new LockRequest(target, wait, LockRules.requireLease(lease));
  }

  // ---- code under the lock

  /**
   * Takes the lock, runs the code, and gives the lock back whatever happens.
   *
   * @throws LockTimeoutException when the lock was busy for the whole time; says who holds it
   * @throws LockLostException when the code has run to its end but the lock was lost meanwhile
   * @throws X from the code, as it is; a loss is added as suppressed
   */
  public <X extends Exception> void run(Action<X> action) throws X, InterruptedException {
    call(bodyOf(action));
  }

  /** Like {@link #run}, and returns the result of the code. */
  public <T extends @Nullable Object, X extends Exception> T call(Body<T, X> body)
      throws X, InterruptedException {
    requireNonNull(body, "body must not be null");
    AcquireSpec spec = blocking(AcquireSpec.FOREVER, target.isOwnedByThread());
    Runnable exit = target.enter(spec);
    if (exit == null) {
      throw target.timeout(spec.waitNanos());
    }
    return runInside(body, exit);
  }

  /**
   * Like {@link #run}, except that a busy lock is a result; without {@link #waitUpTo} it is not
   * waited for.
   *
   * @return false if the lock was busy and the code did not run
   */
  public <X extends Exception> boolean tryRun(Action<X> action) throws X, InterruptedException {
    Body<Boolean, X> body = bodyOf(action);
    Runnable exit = target.enter(blocking(0, target.isOwnedByThread()));
    return exit != null && runInside(body, exit);
  }

  private static <X extends Exception> Body<Boolean, X> bodyOf(Action<X> action) {
    requireNonNull(action, "action must not be null");
    return () -> {
      action.run();
      return true;
    };
  }

  private static <T extends @Nullable Object, X extends Exception> T runInside(
      Body<T, X> body, Runnable exit) throws X {
    T result;
    try {
      result = body.call();
    } catch (Throwable failure) { // rethrown as it is; what the release has to say is added to it
      try {
        exit.run();
      } catch (RuntimeException e) {
        failure.addSuppressed(e);
      }
      throw failure;
    }
    exit.run();
    return result;
  }

  // ---- handles

  /**
   * Waits, and gives a handle.
   *
   * @throws LockTimeoutException when the lock was busy for the whole time; says who holds it
   */
  public Lease acquire() throws InterruptedException {
    AcquireSpec spec = blocking(AcquireSpec.FOREVER, false);
    Lease taken = target.acquire(spec);
    if (taken == null) {
      throw target.timeout(spec.waitNanos());
    }
    return taken;
  }

  /** A handle, or nothing if the lock was busy; without {@link #waitUpTo} it is not waited for. */
  public Optional<Lease> tryAcquire() throws InterruptedException {
    return Optional.ofNullable(target.acquire(blocking(0, false)));
  }

  /**
   * A handle without blocking; the future fails with a {@link LockTimeoutException} when the time
   * is over. Cancelling it stops the wait, and gives the lock back should it arrive at that moment.
   */
  public CompletableFuture<Lease> acquireAsync() {
    return target.acquireAsync(spec(AcquireSpec.FOREVER, false, false));
  }

  // ---- code under the lock, without blocking

  /**
   * Takes the lock without blocking, runs the code on a thread for {@linkplain
   * LockManagerBuilder#callbackExecutor callbacks}, and gives the lock back when the code returns.
   * What goes on after that in the background is better given to {@link #callAsync}.
   *
   * @return completes when the lock is given back; with a {@link LockTimeoutException} when it was
   *     busy for the whole time, with a {@link LockLostException} when the code has run to its end
   *     but the lock was lost meanwhile, with the exception of the code. Cancelling it stops the
   *     wait, and not the code once that runs
   */
  public CompletableFuture<@Nullable Void> runAsync(Consumer<? super Lease> action) {
    requireNonNull(action, "action must not be null");
    return callAsync(
        lease -> {
          action.accept(lease);
          return CompletableFuture.<@Nullable Void>completedFuture(null);
        });
  }

  /**
   * Like {@link #runAsync} for code that goes on in the background: the lock is given back when the
   * stage that the code returns is complete, and its result is that of the future.
   */
  public <T extends @Nullable Object> CompletableFuture<T> callAsync(
      Function<? super Lease, ? extends CompletionStage<T>> body) {
    return AsyncBody.run(acquireAsync(), requireNonNull(body, "body must not be null"));
  }

  // ---- from words to specifications

  private AcquireSpec blocking(long otherwise, boolean ownedByThread) throws InterruptedException {
    failIfInterrupted();
    return spec(otherwise, ownedByThread, true);
  }

  private AcquireSpec spec(long otherwise, boolean ownedByThread, boolean interruptible) {
    LockConfig config = target.config();
    return new AcquireSpec(
        config,
        target.claim(),
        ownedByThread,
        lease == null ? config.leaseTime() : lease,
        lease == null,
        wait == null ? otherwise : AcquireSpec.nanos(wait),
        interruptible);
  }

  /** A call that can be interrupted takes nothing on a thread that is interrupted already. */
  static void failIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** The sentence so far. */
  @Override
  public String toString() {
    return "LockRequest[%s, %s, %s]"
        .formatted(
            target,
            wait == null ? "waits as the call says" : "waits up to " + ReadableTime.of(wait),
            lease == null ? "renewed" : "lease " + ReadableTime.of(lease));
  }
}
