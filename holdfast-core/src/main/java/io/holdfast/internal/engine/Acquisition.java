package io.holdfast.internal.engine;

import static io.holdfast.Fallback.Decision.PROCESS_LOCAL;

import io.holdfast.StoreUnavailableException;
import io.holdfast.internal.base.RoutedBackend;
import io.holdfast.internal.engine.AcquisitionMachine.Grant;
import io.holdfast.internal.engine.AcquisitionMachine.Next;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler.Cancellable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One process on its way to a lock: attempts, waits for a signal or a delay, attempts again. The
 * only place where waiting for a store is written. {@link AcquisitionMachine} decides what comes
 * next and {@link FaultPolicy} what a silent store means; this class makes the requests, plans the
 * delays and completes the futures.
 *
 * <pre>
 *   event: answer, signal, delay, time up, given up
 *     |
 *   AcquisitionMachine  (in the monitor)  -->  Next
 *                                               |
 *   perform(next)       (outside of it)    <----+   request, timer, tenure, fault
 * </pre>
 *
 * <p>All attempts carry the same owner, so the store recognises a repeated one. When it is over
 * without a grant while an attempt may still take effect, or the store still knows its place in the
 * queue, the owner is released: after the answer to the last attempt, so that the release cannot
 * overtake it.
 */
public final class Acquisition {
  private static final long LEAST_WAITER_TTL = 3000;
  private static final long MOST_WAITED = Duration.ofDays(30).toNanos();

  private final LockEngine engine;
  private final Context context;
  private final TenureListener holder;
  private final AcquireSpec spec;
  private final CompletableFuture<@Nullable Tenure> result = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();

  private volatile Thread thread;
  private volatile long startedAt;
  private volatile long arrivedAt;
  private volatile Owner owner;
  private volatile boolean awaited = true;

  // All guarded by this.
  private final FaultPolicy faults;
  private final AcquisitionMachine machine;
  private String note = "";
  private @Nullable Cancellable timer;
  private @Nullable Runnable whenOutOfQueue;

  /**
   * @param holder what the tenure is for
   * @param thread the thread that waits, or that asked for a future
   * @param arrivedAt since when the caller wants the lock
   */
  public Acquisition(
      LockEngine engine,
      TenureListener holder,
      Owner owner,
      AcquireSpec spec,
      Thread thread,
      long arrivedAt) {
    this.engine = engine;
    this.context = engine.context();
    this.holder = holder;
    this.owner = owner;
    this.spec = spec;
    this.thread = thread;
    this.startedAt = context.now();
    this.arrivedAt = arrivedAt;
    this.faults = new FaultPolicy(spec, engine.silence());
    this.machine = new AcquisitionMachine(owner, spec, this::tenureOf, faults);
  }

  private Tenure tenureOf(Owner granted, Grant grant) {
    return new Tenure(
        holder,
        granted,
        spec,
        grant.tokens(),
        grant.asOf(),
        grant.lease(),
        grant.contended(),
        grant.contenderSince());
  }

  public Owner owner() {
    return owner;
  }

  public Resource resource() {
    return holder.resource();
  }

  String key() {
    return holder.key();
  }

  /** The tenure; null when it gave up because the lock was busy; or the fault. */
  public CompletableFuture<@Nullable Tenure> result() {
    return result;
  }

  /** Completes when nothing remains to be done in the store. */
  CompletableFuture<@Nullable Void> settled() {
    return settled;
  }

  public TenureListener holder() {
    return holder;
  }

  public AcquireSpec spec() {
    return spec;
  }

  public Thread thread() {
    return thread;
  }

  /**
   * Another caller waits for it from now on.
   *
   * @param since from when on that caller has waited
   */
  public void reassignTo(Thread another, long since) {
    thread = another;
    startedAt = since;
    arrivedAt = since;
    awaited = true;
  }

  /** No caller waits for it before {@link #reassignTo}. */
  public void markPrepared() {
    awaited = false;
  }

  /** True if a thread or a future waits for it. */
  public boolean isAwaited() {
    return awaited;
  }

  public long startedAt() {
    return startedAt;
  }

  /** True if it has ended without a tenure, or with one that has ended since. */
  public synchronized boolean isUnusable() {
    return machine.isUnusable();
  }

  /** True if the store's last word was that another holds it. */
  public synchronized boolean isKnownToBeBusy() {
    return machine.isKnownToBeBusy();
  }

  /** True if the store has told it to wait at least once. */
  public synchronized boolean hasWaited() {
    return machine.hasWaited();
  }

  // ---- attempts

  /** Makes the next attempt unless one is under way or all is over. */
  void attempt() {
    AttemptUnderWay attempt = beginAttempt();
    if (attempt == null) {
      return;
    }
    CompletionStage<AcquireResult> reply;
    try {
      reply = context.backend().acquire(attempt.request());
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    follow(attempt, reply);
  }

  /**
   * An attempt whose answer is to come.
   *
   * @param sentAt a clock reading before the request is sent
   */
  record AttemptUnderWay(AcquisitionMachine.Attempt decided, AcquireRequest request, long sentAt) {}

  /** The next attempt, which is under way from here on; null if there is none. */
  synchronized @Nullable AttemptUnderWay beginAttempt() {
    AcquisitionMachine.Attempt decided = machine.beginAttempt();
    if (decided == null) {
      return null;
    }
    cancelTimer();
    long now = context.now();
    return new AttemptUnderWay(decided, request(decided, now), now);
  }

  private AcquireRequest request(AcquisitionMachine.Attempt decided, long now) {
    long ttl = Math.max(LEAST_WAITER_TTL, 3 * spec.policy().longestDelay().toMillis());
    boolean inOrder = spec.config().fair() && resource().kind() == Resource.Kind.LOCK;
    return new AcquireRequest(
        resource(),
        owner,
        spec.claim(),
        spec.lease().toMillis(),
        thread.getName(),
        decided.enqueues(),
        ttl,
        note,
        micros(inOrder ? now - arrivedAt : 0),
        micros(machine.queuedNanos(now)));
  }

  private static long micros(long nanos) {
    return Math.max(0, Math.min(MOST_WAITED, nanos)) / 1000;
  }

  /** Goes on with the answer to an attempt. */
  void follow(AttemptUnderWay attempt, CompletionStage<AcquireResult> reply) {
    reply.whenComplete((answer, fault) -> answered(attempt, answer, fault));
  }

  private void answered(
      AttemptUnderWay attempt, @Nullable AcquireResult answer, @Nullable Throwable fault) {
    long now = context.now();
    boolean storeAnswers = engine.storeAnswers();
    Next next;
    synchronized (this) {
      if (fault != null || answer == null) {
        Throwable cause = fault != null ? fault : new NullPointerException("no answer");
        next = machine.failed(cause);
      } else if (answer instanceof AcquireResult.Granted granted) {
        Grant grant = Grant.of(granted, attempt.sentAt());
        next = machine.granted(grant, now, arrivedAt, storeAnswers);
      } else if (answer instanceof AcquireResult.Busy busy) {
        next = machine.busy(attempt.decided(), attempt.sentAt(), busy.retryAfterMillis());
      } else {
        Throwable cause = ((AcquireResult.Unknown) answer).cause();
        next = machine.unknown(cause, now, arrivedAt, storeAnswers);
      }
      cancelTimerUnlessWaiting();
    }
    perform(next);
  }

  // ---- what comes next

  private void perform(Next next) {
    if (next instanceof Next.Attempt) {
      attempt();
    } else if (next instanceof Next.AttemptSoon) {
      context.scheduler().schedule(0, this::attempt);
    } else if (next instanceof Next.Wait delay) {
      waitFor(delay.nanos());
    } else if (next instanceof Next.Open open) {
      open(open.tenure(), open.answerToCome());
    } else if (next instanceof Next.GiveUp) {
      abandon();
    } else if (next instanceof Next.Fail failure) {
      fail(engine.queries().explain(resource(), failure.fault()));
    } else if (next instanceof Next.FailUnavailable) {
      fail(unavailable());
    } else if (next instanceof Next.FallBackOr alternative) {
      fallBackOr(alternative.otherwise());
    } else if (next instanceof Next.Settle) {
      settle();
    } else if (next instanceof Next.SettleGrant grant) {
      settleGrant(grant.clear());
    }
  }

  private void waitFor(long delay) {
    synchronized (this) {
      if (machine.mayPlan()) {
        timer = context.scheduler().schedule(delay, this::attempt);
        return;
      }
    }
    attempt();
  }

  private void open(Tenure tenure, boolean answerToCome) {
    if (answerToCome) {
      engine.awaitAnswer(this);
    }
    if (resource().kind() == Resource.Kind.LATCH) {
      engine.forget(this); // an open latch is passed, not held
    } else {
      engine.opened(tenure, this);
    }
    if (!answerToCome) {
      settled.complete(null);
    }
    result.complete(tenure);
  }

  /**
   * The answer to an attempt that a pushed grant has overtaken. If the tenure has ended since, the
   * attempt may have taken effect after its release.
   */
  private void settleGrant(boolean clear) {
    if (clear) {
      engine // after the holder's own release, which must not hear that there is nothing left
          .settled(owner)
          .thenCompose(done -> engine.giveBack(resource(), owner, spec.lease()))
          .whenComplete((done, fault) -> settled.complete(null));
    } else {
      settled.complete(null);
    }
  }

  private void fallBackOr(Next otherwise) {
    boolean locally;
    try {
      locally =
          isDegradable() && spec.config().fallback().decide(key(), unavailable()) == PROCESS_LOCAL;
    } catch (RuntimeException | Error e) {
      fail(e);
      return;
    }
    if (locally) {
      fallBack();
    } else {
      perform(otherwise);
    }
  }

  /**
   * Only what the gate or the queue of this process guards as well. Permits that the store has
   * given and process-local ones could not be counted together, and nothing passes a latch whose
   * count is not known.
   */
  private boolean isDegradable() {
    Resource.Kind kind = resource().kind();
    boolean guarded = kind == Resource.Kind.LOCK || kind == Resource.Kind.READ_WRITE;
    return guarded && !RoutedBackend.isLocal(owner);
  }

  /** Goes on for a lock of this process alone; what the store may have of it is given back. */
  private void fallBack() {
    Owner before = owner;
    Owner local = context.newLocalOwner();
    synchronized (this) {
      if (!machine.fallBackTo(local)) {
        return;
      }
      owner = local;
      engine.rename(this, before);
    }
    engine.giveBack(resource(), before, spec.lease());
    attempt();
  }

  // ---- signals

  /** The store said that something has changed, or the connection is back. */
  void signalled() {
    Next next;
    synchronized (this) {
      next = machine.signal();
    }
    perform(next);
  }

  /** What the store shall keep with this waiter; it hears of it at once. */
  public void note(String text) {
    synchronized (this) {
      if (text.equals(note)) {
        return;
      }
      note = text;
    }
    signalled();
  }

  /** Another process waits for what this acquisition is about to hear that it holds. */
  synchronized void contendedBeforeGrant(@Nullable Long since) {
    machine.contended(since);
  }

  /** The store has made this owner the holder on its own. */
  void granted(Owner granted, PushedGrant grant) {
    long now = context.now();
    boolean storeAnswers = engine.storeAnswers();
    Next next;
    synchronized (this) {
      next = machine.pushed(granted, Grant.of(grant), now, arrivedAt, storeAnswers);
      cancelTimerUnlessWaiting();
    }
    perform(next);
  }

  // ---- its end

  /** The caller's time is over. */
  public void timeUp() {
    Next next;
    synchronized (this) {
      next = machine.timeUp();
    }
    perform(next);
  }

  /**
   * Gives up: interrupt, cancellation.
   *
   * @return false if it was granted, or over, before
   */
  public boolean abandon() {
    if (!end()) {
      return false;
    }
    settle();
    result.complete(null);
    return true;
  }

  /**
   * Gives up a wait for something that its holder has got in another way.
   *
   * @param then what to do when the store does not know this one as a waiter any more, or has not
   *     answered to that
   */
  public void abandon(Runnable then) {
    synchronized (this) {
      whenOutOfQueue = then;
    }
    if (!abandon()) {
      outOfQueue();
    }
  }

  private void outOfQueue() {
    Runnable next;
    synchronized (this) {
      next = whenOutOfQueue;
      whenOutOfQueue = null;
    }
    if (next != null) {
      next.run();
    }
  }

  /** For one that gave up: the fault to report because the store's last word was not "busy". */
  public synchronized @Nullable RuntimeException outageOrNull() {
    return faults.lastFault() == null ? null : unavailable();
  }

  public void throwIfOutage() {
    RuntimeException fault = outageOrNull();
    if (fault != null) {
      throw fault;
    }
  }

  /** The lock manager is being closed. */
  void close() {
    fail(Context.closedWith(resource()));
  }

  /** Ends it with an exception for the caller. */
  public void fail(Throwable fault) {
    if (end()) {
      settle();
      result.completeExceptionally(fault);
    }
  }

  private synchronized boolean end() {
    boolean ended = machine.end();
    cancelTimerUnlessWaiting();
    return ended;
  }

  /** After the end: clears the store of what may be left there, once no attempt is under way. */
  private void settle() {
    Boolean clear;
    synchronized (this) {
      clear = machine.takeClearing();
    }
    if (clear == null) {
      return; // the answer to the attempt comes back here
    }
    engine.forget(this);
    if (clear) {
      Release release = engine.clear(resource(), owner, spec.lease());
      release.settled().whenComplete((done, fault) -> settled.complete(null));
      release.firstAnswer().whenComplete((answer, fault) -> outOfQueue());
    } else {
      settled.complete(null);
      outOfQueue();
    }
  }

  private void cancelTimerUnlessWaiting() {
    if (!machine.isWaiting()) {
      cancelTimer();
    }
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private synchronized StoreUnavailableException unavailable() {
    Duration waited = Duration.ofNanos(context.now() - startedAt);
    Throwable cause = faults.lastFault();
    return new StoreUnavailableException(
        resource().kind().label(),
        key(),
        ("%s: %s cannot be reached (%s; %d tries in %d ms)."
                + " If the store granted it after all, it is released in the background.")
            .formatted(
                resource(),
                context.backend().engine(),
                cause == null ? "no answer" : cause.getMessage(),
                machine.tries(),
                waited.toMillis()),
        cause);
  }
}
