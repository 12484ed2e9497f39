package io.holdfast.internal;

import static io.holdfast.Fallback.Decision.PROCESS_LOCAL;

import io.holdfast.Fallback;
import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.Resource;
import io.holdfast.spi.Scheduler.Cancellable;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One process on its way to a lock: attempts, waits for a signal or a delay, attempts again. The
 * only place where waiting for a store is written.
 *
 * <pre>
 *               Busy, Unknown                    Granted, pushed grant
 *   ATTEMPTING ---------------> WAITING      ------------------------------> GRANTED
 *        ^                         |         abandon(), tries used up, fault
 *        +---- signal, delay ------+         ------------------------------> OVER
 * </pre>
 *
 * <p>All attempts carry the same owner, so the store recognises a repeated one. When it is over
 * without a grant while an attempt may still take effect, or its place in the queue is still known
 * to the store, it is given back: after the answer to the last attempt, so that the two cannot
 * overtake each other.
 */
final class Acquisition {
  private enum Phase {
    ATTEMPTING,
    WAITING,
    GRANTED,
    OVER
  }

  private static final long FIRST_FAULT_DELAY = Duration.ofMillis(50).toNanos();
  private static final long MOST_FAULT_DELAY = Duration.ofSeconds(1).toNanos();
  private static final long LEAST_WAITER_TTL = 3000;
  private static final long MOST_WAITED = Duration.ofDays(30).toNanos();

  private final LockEngine engine;
  private final TenureListener holder;
  private final AcquireSpec spec;
  private volatile Thread thread;
  private volatile long startedAt;
  private volatile long arrivedAt;
  private final CompletableFuture<@Nullable Tenure> result = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> settled = new CompletableFuture<>();

  private volatile Owner owner;
  private volatile boolean awaited = true;

  // All guarded by this.
  private Phase phase = Phase.WAITING;
  private int tries;
  private int faultsInARow;
  private long firstFaultAt;
  private @Nullable Throwable lastFault;
  private boolean answered;
  private boolean hasWaited;
  private boolean timeIsUp;
  private boolean contendedBeforeGrant;
  private @Nullable Long contenderSinceBeforeGrant;
  private @Nullable Tenure granted;
  private boolean signalled;
  private boolean mayBeInStore;
  private boolean knownBeforeAttempt;
  private boolean grantToConfirm;
  private boolean isQueued;
  private long queuedAt;
  private boolean attemptUnderWay;
  private String note = "";
  private @Nullable Cancellable timer;
  private @Nullable Runnable whenOutOfQueue;

  Acquisition(
      LockEngine engine,
      TenureListener holder,
      Owner owner,
      AcquireSpec spec,
      Thread thread,
      long arrivedAt) {
    this.engine = engine;
    this.holder = holder;
    this.owner = owner;
    this.spec = spec;
    this.thread = thread;
    this.startedAt = engine.time().nanoTime();
    this.arrivedAt = arrivedAt;
  }

  Owner owner() {
    return owner;
  }

  Resource resource() {
    return holder.resource();
  }

  String key() {
    return holder.key();
  }

  /** The tenure; null when it gave up because the lock was busy; or the fault. */
  CompletableFuture<@Nullable Tenure> result() {
    return result;
  }

  /** Completes when nothing remains to be done in the store. */
  CompletableFuture<@Nullable Void> settled() {
    return settled;
  }

  TenureListener holder() {
    return holder;
  }

  AcquireSpec spec() {
    return spec;
  }

  Thread thread() {
    return thread;
  }

  /**
   * Somebody else waits for it from now on.
   *
   * @param since from when on that one has waited
   */
  void reassignTo(Thread another, long since) {
    thread = another;
    startedAt = since;
    arrivedAt = since;
    awaited = true;
  }

  /** Nobody waits for it before {@link #reassignTo}. */
  void markPrepared() {
    awaited = false;
  }

  /** True if a thread or a caller waits for it. */
  boolean isAwaited() {
    return awaited;
  }

  long startedAt() {
    return startedAt;
  }

  /** True if it has ended without a tenure, or with one that has ended since. */
  synchronized boolean isUnusable() {
    return phase == Phase.OVER || (granted != null && !granted.isLive());
  }

  /** True if the store's last word was that somebody else has it. */
  synchronized boolean isKnownToBeBusy() {
    return answered && lastFault == null;
  }

  /** True if the store has told it to wait at least once. */
  synchronized boolean hasWaited() {
    return hasWaited;
  }

  /** What the store shall keep with this waiter; it hears of it at once. */
  void note(String text) {
    synchronized (this) {
      if (text.equals(note)) {
        return;
      }
      note = text;
    }
    signalled();
  }

  /** Makes the next attempt unless one is under way or all is over. */
  void attempt() {
    AcquireRequest request = beginAttempt();
    if (request == null) {
      return;
    }
    long sentAt = engine.time().nanoTime();
    CompletionStage<AcquireResult> reply;
    try {
      reply = engine.backend().acquire(request);
    } catch (RuntimeException | Error e) {
      reply = CompletableFuture.failedFuture(e);
    }
    follow(request, sentAt, reply);
  }

  /** The request of the next attempt, which is under way from here on; null if there is none. */
  synchronized @Nullable AcquireRequest beginAttempt() {
    if (phase != Phase.WAITING || attemptUnderWay) {
      return null;
    }
    cancelTimer();
    phase = Phase.ATTEMPTING;
    attemptUnderWay = true;
    signalled = false;
    tries++;
    AcquireRequest request = request();
    knownBeforeAttempt = mayBeInStore;
    grantToConfirm = false;
    mayBeInStore |= request.enqueue();
    return request;
  }

  /**
   * Goes on with the answer to an attempt.
   *
   * @param sentAt a clock reading before the request was sent
   */
  void follow(AcquireRequest request, long sentAt, CompletionStage<AcquireResult> reply) {
    boolean queues = request.enqueue();
    reply.whenComplete((answer, fault) -> answered(sentAt, queues, answer, fault));
  }

  private AcquireRequest request() {
    boolean spinning = tries <= spec.policy().spins();
    boolean last = !spec.policy().allowsTryAfter(tries);
    boolean enqueue = !spec.immediate() && !spinning && !last;
    long ttl = Math.max(LEAST_WAITER_TTL, 3 * spec.policy().longestDelay().toMillis());
    boolean inOrder = spec.config().fair() && holder.resource().kind() == Resource.Kind.LOCK;
    long waited = inOrder ? engine.time().nanoTime() - arrivedAt : 0;
    return new AcquireRequest(
        holder.resource(),
        owner,
        spec.claim(),
        spec.lease().toMillis(),
        thread.getName(),
        enqueue,
        ttl,
        note,
        micros(waited),
        isQueued ? micros(engine.time().nanoTime() - queuedAt) : 0);
  }

  private static long micros(long nanos) {
    return Math.max(0, Math.min(MOST_WAITED, nanos)) / 1000;
  }

  private void answered(
      long sentAt, boolean queues, @Nullable AcquireResult answer, @Nullable Throwable fault) {
    Runnable next;
    synchronized (this) {
      attemptUnderWay = false;
      answered = true;
      if (phase == Phase.OVER) {
        mayBeInStore |= fault == null && !(answer instanceof AcquireResult.Busy);
        next = this::settle;
      } else if (phase == Phase.GRANTED) {
        next = () -> clearAfterGrant(fault == null && !(answer instanceof AcquireResult.Busy));
      } else if (fault != null || answer == null) {
        Throwable cause = fault != null ? fault : new NullPointerException("no answer");
        next = () -> fail(engine.queries().explain(holder.resource(), cause));
        phase = Phase.WAITING;
        mayBeInStore = true; // it may have acted before it failed
      } else if (answer instanceof AcquireResult.Granted grant) {
        Duration lease = Duration.ofMillis(grant.leaseMillis());
        next = grant(grant.tokens(), sentAt, lease, grant.contended(), grant.contenderSinceNanos());
      } else if (answer instanceof AcquireResult.Busy busy) {
        if (queues && !isQueued) {
          isQueued = true;
          queuedAt = sentAt;
        }
        next = busy(busy);
      } else {
        next = unknown(((AcquireResult.Unknown) answer).cause());
      }
    }
    next.run();
  }

  /**
   * A signal was faster than the answer. If the tenure has ended since, the attempt may have taken
   * effect after its release.
   */
  private void clearAfterGrant(boolean mayHaveTaken) {
    boolean clear;
    synchronized (this) {
      clear = mayHaveTaken && granted != null && !granted.isLive();
    }
    if (clear) {
      engine // after the holder's own release, which must not hear that there is nothing left
          .settled(owner)
          .thenCompose(done -> engine.giveBack(holder.resource(), owner, spec.lease()))
          .whenComplete((done, fault) -> settled.complete(null));
    } else {
      settled.complete(null);
    }
  }

  private Runnable grant(
      TokenBlock tokens,
      long asOf,
      Duration lease,
      boolean contended,
      @Nullable Long contenderSince) {
    Tenure tenure = new Tenure(holder, owner, spec, tokens, asOf, lease, contended, contenderSince);
    if (!tenure.isValid(engine.time().nanoTime())) {
      return unknown(new TimeoutException("the grant arrived after the end of its lease"));
    }
    phase = Phase.GRANTED;
    cancelTimer();
    if (!tenure.isDegraded()) {
      engine.silence().ends();
    }
    granted = tenure;
    if (contendedBeforeGrant) {
      tenure.contended(contenderSinceBeforeGrant);
    }
    boolean answerToCome = attemptUnderWay;
    return () -> {
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
    };
  }

  private Runnable busy(AcquireResult.Busy busy) {
    phase = Phase.WAITING;
    hasWaited = true;
    lastFault = null;
    faultsInARow = 0;
    engine.silence().ends();
    if (grantToConfirm) {
      return this::attempt; // the grant may be newer than this answer, so even if the time is up
    }
    if (mustStop()) {
      return this::abandon;
    }
    if (tries <= spec.policy().spins()) {
      return () -> engine.scheduler().schedule(0, this::attempt); // no recursion, however many
    }
    if (signalled) {
      return this::attempt;
    }
    long delay = spec.policy().delayNanosAfter(tries);
    if (busy.retryAfterMillis() >= 0) {
      delay = Math.min(delay, Duration.ofMillis(busy.retryAfterMillis() + 1).toNanos());
    }
    return waitFor(delay);
  }

  private Runnable unknown(Throwable cause) {
    phase = Phase.WAITING;
    mayBeInStore = true;
    lastFault = cause;
    long now = engine.time().nanoTime();
    engine.silence().begins(now);
    if (faultsInARow++ == 0) {
      firstFaultAt = now;
    }
    long silentFor =
        Math.max(now - firstFaultAt, Math.min(engine.silence().lasts(now), now - arrivedAt));
    if (mustStop() || silentFor >= spec.config().storeTimeout().toNanos()) {
      return () -> failOrFallBack(unavailable());
    }
    long backoff = FIRST_FAULT_DELAY << Math.min(faultsInARow - 1, 10);
    Runnable waiting = waitFor(Math.min(backoff, MOST_FAULT_DELAY));
    boolean early = hasFallback() && !engine.storeAnswers();
    return early ? () -> fallBackOr(unavailable(), waiting) : waiting;
  }

  private void failOrFallBack(StoreUnavailableException fault) {
    fallBackOr(fault, () -> fail(fault));
  }

  private void fallBackOr(StoreUnavailableException fault, Runnable otherwise) {
    boolean locally;
    try {
      locally = isDegradable() && spec.config().fallback().decide(key(), fault) == PROCESS_LOCAL;
    } catch (RuntimeException | Error e) {
      fail(e);
      return;
    }
    if (locally) {
      fallBack();
    } else {
      otherwise.run();
    }
  }

  private boolean hasFallback() {
    return spec.config().fallback() != Fallback.FAIL;
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
    Owner before;
    synchronized (this) {
      if (phase != Phase.WAITING) {
        return;
      }
      before = owner;
      owner = engine.newLocalOwner();
      engine.rename(this, before);
      faultsInARow = 0;
      lastFault = null;
      mayBeInStore = false;
      isQueued = false;
    }
    engine.giveBack(resource(), before, spec.lease());
    attempt();
  }

  private boolean mustStop() {
    return spec.immediate() || timeIsUp || !spec.policy().allowsTryAfter(tries);
  }

  private Runnable waitFor(long delay) {
    return () -> {
      synchronized (this) {
        if (phase == Phase.WAITING && !attemptUnderWay) {
          if (!signalled) {
            timer = engine.scheduler().schedule(delay, this::attempt);
            return;
          }
        }
      }
      attempt();
    };
  }

  /** The store said that something has changed, or the connection is back. */
  void signalled() {
    synchronized (this) {
      signalled = true;
    }
    attempt();
  }

  /** Somebody waits for what this one is about to hear that it has. */
  synchronized void contendedBeforeGrant(@Nullable Long since) {
    contendedBeforeGrant = true;
    if (contenderSinceBeforeGrant == null
        || (since != null && since - contenderSinceBeforeGrant < 0)) {
      contenderSinceBeforeGrant = since;
    }
    if (granted != null) {
      granted.contended(since);
    }
  }

  /**
   * The store has made this the holder on its own.
   *
   * <p>An attempt that the store may answer after the grant does not let the grant count. If the
   * lock is deleted by hand before that attempt arrives, the store takes it for a new request of
   * the same owner: the owner waits, or holds, once more, behind others, and every renewal of the
   * first grant would be answered as if it had never been gone. So the answer to the attempt
   * decides, and one that says "busy" is followed by another attempt.
   */
  void granted(Owner granted, PushedGrant grant) {
    Runnable next;
    synchronized (this) {
      if (!granted.equals(owner)) {
        return; // it has fallen back meanwhile, and what the old owner had is given back
      }
      if (phase == Phase.GRANTED) {
        return;
      }
      if (phase == Phase.OVER) {
        mayBeInStore = true;
        next = this::settle;
      } else if (attemptUnderWay && knownBeforeAttempt) {
        grantToConfirm = true;
        return;
      } else {
        Duration lease = Duration.ofMillis(grant.leaseMillis());
        next =
            grant(
                grant.tokens(),
                grant.asOfNanos(),
                lease,
                grant.contended(),
                grant.contenderSinceNanos());
      }
    }
    next.run();
  }

  /**
   * The caller's time is over. The first attempt may still be answered, which the store bounds by a
   * time-out of its own: the caller's time is for a lock that is busy, not for a round trip.
   */
  void timeUp() {
    boolean silent;
    synchronized (this) {
      timeIsUp = true;
      silent = lastFault != null && phase == Phase.WAITING;
      boolean waitForAnswer = !answered || grantToConfirm || (lastFault != null && hasFallback());
      if (attemptUnderWay && waitForAnswer) {
        return;
      }
    }
    if (silent && hasFallback()) {
      failOrFallBack(unavailable());
    } else {
      abandon();
    }
  }

  /**
   * Gives up: interrupt, cancellation.
   *
   * @return false if it was granted, or over, before
   */
  boolean abandon() {
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
  void abandon(Runnable then) {
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
  synchronized @Nullable RuntimeException outageOrNull() {
    return lastFault == null ? null : unavailable();
  }

  void throwIfOutage() {
    RuntimeException fault = outageOrNull();
    if (fault != null) {
      throw fault;
    }
  }

  /** The lock manager is being closed. */
  void close() {
    fail(LockEngine.closedWith(holder.resource()));
  }

  /** Ends it with an exception for the caller. */
  void fail(Throwable fault) {
    if (end()) {
      settle();
      result.completeExceptionally(fault);
    }
  }

  private synchronized boolean end() {
    if (phase == Phase.GRANTED || phase == Phase.OVER) {
      return false;
    }
    phase = Phase.OVER;
    cancelTimer();
    return true;
  }

  /** After the end: clears the store of what may be left there, once no attempt is under way. */
  private void settle() {
    boolean clear;
    synchronized (this) {
      if (attemptUnderWay) {
        return;
      }
      clear = mayBeInStore;
      mayBeInStore = false;
    }
    engine.forget(this);
    if (clear) {
      Release release = engine.clear(holder.resource(), owner, spec.lease());
      release.settled().whenComplete((done, fault) -> settled.complete(null));
      release.firstAnswer().whenComplete((answer, fault) -> outOfQueue());
    } else {
      settled.complete(null);
      outOfQueue();
    }
  }

  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private synchronized StoreUnavailableException unavailable() {
    Duration waited = Duration.ofNanos(engine.time().nanoTime() - startedAt);
    String why = lastFault == null ? "no answer" : String.valueOf(lastFault.getMessage());
    return new StoreUnavailableException(
        "%s: %s cannot be reached (%s; %d tries in %d ms); should it have been taken it is given back in the background"
            .formatted(holder.resource(), engine.backend().engine(), why, tries, waited.toMillis()),
        lastFault);
  }
}
