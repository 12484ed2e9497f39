package io.holdfast.internal.engine;

import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Owner;
import io.holdfast.spi.PushedGrant;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of an {@link Acquisition}: an event goes in, and what to do next comes out. It does
 * no I/O, reads no clock and starts no timer, so that a test can go through it as a table.
 *
 * <pre>
 *               Busy, Unknown                    Granted, pushed grant
 *   ATTEMPTING ---------------> WAITING      ------------------------------> GRANTED
 *        ^                         |         given up, tries used up, fault
 *        +---- signal, delay ------+         ------------------------------> OVER
 * </pre>
 *
 * <p>Guarded by the monitor of its acquisition.
 */
final class AcquisitionMachine {
  enum Phase {
    ATTEMPTING,
    WAITING,
    GRANTED,
    OVER
  }

  /** What the acquisition does next. */
  sealed interface Next {
    /** Nothing: something else is under way, or all is over. */
    record Nothing() implements Next {}

    /** Makes the next attempt now. */
    record Attempt() implements Next {}

    /** Makes the next attempt from the scheduler, so that spinning does not recurse. */
    record AttemptSoon() implements Next {}

    /** Makes the next attempt after a delay, or when a signal comes. */
    record Wait(long nanos) implements Next {}

    /**
     * Hands the tenure to its caller.
     *
     * @param answerToCome true if an attempt is still under way, which may yet take effect
     */
    record Open(Tenure tenure, boolean answerToCome) implements Next {}

    /** Ends without a tenure: the lock was busy, or the caller gave up. */
    record GiveUp() implements Next {}

    /** Ends with a fault that no other attempt can cure. */
    record Fail(Throwable fault) implements Next {}

    /** Ends because the store cannot be reached. */
    record FailUnavailable() implements Next {}

    /** Asks the fallback of the lock; does the other thing if there is none. */
    record FallBackOr(Next otherwise) implements Next {}

    /** Clears the store of what may be left there after the end. */
    record Settle() implements Next {}

    /**
     * The answer to an attempt that a pushed grant has overtaken.
     *
     * @param clear true if it may have taken effect after the tenure ended
     */
    record SettleGrant(boolean clear) implements Next {}
  }

  /** An attempt that is to be made. */
  record Attempt(boolean enqueues) {}

  /** A grant by the store, in answer to an attempt or on its own. */
  record Grant(
      TokenBlock tokens,
      long asOf,
      Duration lease,
      boolean contended,
      @Nullable Long contenderSince) {
    static Grant of(AcquireResult.Granted answer, long sentAt) {
      return new Grant(
          answer.tokens(),
          sentAt,
          Duration.ofMillis(answer.leaseMillis()),
          answer.contended(),
          answer.contenderSinceNanos());
    }

    static Grant of(PushedGrant pushed) {
      return new Grant(
          pushed.tokens(),
          pushed.asOfNanos(),
          Duration.ofMillis(pushed.leaseMillis()),
          pushed.contended(),
          pushed.contenderSinceNanos());
    }
  }

  /** Makes a tenure of a grant. */
  interface Tenures {
    Tenure of(Owner owner, Grant grant);
  }

  private static final Next NOTHING = new Next.Nothing();

  private final AcquireSpec spec;
  private final Tenures tenures;
  private final FaultPolicy faults;
  private Owner owner;
  private Phase phase = Phase.WAITING;
  private int tries;
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

  AcquisitionMachine(Owner owner, AcquireSpec spec, Tenures tenures, FaultPolicy faults) {
    this.owner = owner;
    this.spec = spec;
    this.tenures = tenures;
    this.faults = faults;
  }

  // ---- attempts

  /** The next attempt, which is under way from here on; null if none is to be made. */
  @Nullable Attempt beginAttempt() {
    if (phase != Phase.WAITING || attemptUnderWay) {
      return null;
    }
    phase = Phase.ATTEMPTING;
    attemptUnderWay = true;
    signalled = false;
    tries++;
    boolean spinning = tries <= spec.policy().spins();
    boolean last = !spec.policy().allowsTryAfter(tries);
    Attempt attempt = new Attempt(!spec.immediate() && !spinning && !last);
    knownBeforeAttempt = mayBeInStore;
    grantToConfirm = false;
    mayBeInStore |= attempt.enqueues();
    return attempt;
  }

  /** The store has granted it. */
  Next granted(Grant grant, long now, long arrivedAt, boolean storeAnswers) {
    answerCame();
    return isOver() ? afterTheEnd(true) : open(grant, now, arrivedAt, storeAnswers);
  }

  /** Another holds it. */
  Next busy(Attempt attempt, long sentAt, long retryAfterMillis) {
    answerCame();
    if (isOver()) {
      return afterTheEnd(false);
    }
    if (attempt.enqueues() && !isQueued) {
      isQueued = true;
      queuedAt = sentAt;
    }
    phase = Phase.WAITING;
    hasWaited = true;
    faults.answered();
    if (grantToConfirm) {
      return new Next.Attempt(); // the grant may be newer than this answer, so even if time is up
    }
    if (mustStop()) {
      return new Next.GiveUp();
    }
    if (tries <= spec.policy().spins()) {
      return new Next.AttemptSoon();
    }
    if (signalled) {
      return new Next.Attempt();
    }
    long delay = spec.policy().delayNanosAfter(tries);
    if (retryAfterMillis >= 0) {
      delay = Math.min(delay, Duration.ofMillis(retryAfterMillis + 1).toNanos());
    }
    return new Next.Wait(delay);
  }

  /** There was no answer, which proves nothing. */
  Next unknown(Throwable cause, long now, long arrivedAt, boolean storeAnswers) {
    answerCame();
    return isOver() ? afterTheEnd(true) : tryAgain(cause, now, arrivedAt, storeAnswers);
  }

  /** The attempt failed in a way that no other attempt can cure. */
  Next failed(Throwable fault) {
    answerCame();
    if (isOver()) {
      return afterTheEnd(false);
    }
    phase = Phase.WAITING;
    mayBeInStore = true; // it may have acted before it failed
    return new Next.Fail(fault);
  }

  private boolean isOver() {
    return phase == Phase.OVER || phase == Phase.GRANTED;
  }

  private void answerCame() {
    attemptUnderWay = false;
    answered = true;
  }

  private Next afterTheEnd(boolean mayHaveTakenEffect) {
    if (phase == Phase.OVER) {
      mayBeInStore |= mayHaveTakenEffect;
      return new Next.Settle();
    }
    Tenure tenure = granted;
    return new Next.SettleGrant(mayHaveTakenEffect && tenure != null && !tenure.isLive());
  }

  private Next tryAgain(Throwable cause, long now, long arrivedAt, boolean storeAnswers) {
    phase = Phase.WAITING;
    mayBeInStore = true;
    faults.unanswered(cause, now);
    if (mustStop() || faults.isTimeUp(now, arrivedAt)) {
      return new Next.FallBackOr(new Next.FailUnavailable());
    }
    Next waiting = new Next.Wait(faults.delay());
    boolean early = faults.hasFallback() && !storeAnswers;
    return early ? new Next.FallBackOr(waiting) : waiting;
  }

  private boolean mustStop() {
    return spec.immediate() || timeIsUp || !spec.policy().allowsTryAfter(tries);
  }

  private Next open(Grant grant, long now, long arrivedAt, boolean storeAnswers) {
    Tenure tenure = tenures.of(owner, grant);
    if (!tenure.isValid(now)) {
      Throwable late = new TimeoutException("the grant arrived after the end of its lease");
      return tryAgain(late, now, arrivedAt, storeAnswers);
    }
    phase = Phase.GRANTED;
    if (!tenure.isDegraded()) {
      faults.answered();
    }
    granted = tenure;
    if (contendedBeforeGrant) {
      tenure.contended(contenderSinceBeforeGrant);
    }
    return new Next.Open(tenure, attemptUnderWay);
  }

  // ---- signals

  /**
   * The store has made this owner the holder on its own.
   *
   * <p>An attempt that the store may answer after the grant does not let the grant count. If the
   * lock is deleted by hand before that attempt arrives, the store takes it for a new request of
   * the same owner: the owner waits, or holds, once more, behind others, and every renewal of the
   * first grant would be answered as if it had never been gone. So the answer to the attempt
   * decides, and one that says "busy" is followed by another attempt.
   */
  Next pushed(Owner to, Grant grant, long now, long arrivedAt, boolean storeAnswers) {
    if (!to.equals(owner) || phase == Phase.GRANTED) {
      return NOTHING; // it has fallen back meanwhile, and what the old owner had is given back
    }
    if (phase == Phase.OVER) {
      mayBeInStore = true;
      return new Next.Settle();
    }
    if (attemptUnderWay && knownBeforeAttempt) {
      grantToConfirm = true;
      return NOTHING;
    }
    return open(grant, now, arrivedAt, storeAnswers);
  }

  /** Something has changed in the store. */
  Next signal() {
    signalled = true;
    return new Next.Attempt();
  }

  /** Another process waits for what this acquisition is about to hear that it holds. */
  void contended(@Nullable Long since) {
    contendedBeforeGrant = true;
    Long known = contenderSinceBeforeGrant;
    if (known == null || (since != null && since - known < 0)) {
      contenderSinceBeforeGrant = since;
    }
    if (granted != null) {
      granted.contended(since);
    }
  }

  // ---- the caller

  /**
   * The caller's time is over. The first attempt may still be answered, which the store bounds by a
   * time-out of its own: the caller's time is for a lock that is busy, not for a round trip.
   */
  Next timeUp() {
    timeIsUp = true;
    boolean silent = faults.lastFault() != null;
    boolean awaitsAnswer = !answered || grantToConfirm || (silent && faults.hasFallback());
    if (attemptUnderWay && awaitsAnswer) {
      return NOTHING;
    }
    return silent && phase == Phase.WAITING && faults.hasFallback()
        ? new Next.FallBackOr(new Next.FailUnavailable())
        : new Next.GiveUp();
  }

  /**
   * Goes on under an owner of this process alone; false if it does not wait any more, or if the
   * store may still answer an attempt of the owner that it has now.
   */
  boolean fallBackTo(Owner local) {
    if (phase != Phase.WAITING || attemptUnderWay) {
      return false;
    }
    owner = local;
    faults.forget();
    mayBeInStore = false;
    isQueued = false;
    return true;
  }

  /** Ends it without a tenure; false if it was granted, or over, before. */
  boolean end() {
    if (isOver()) {
      return false;
    }
    phase = Phase.OVER;
    return true;
  }

  /** After the end: whether the store has to be cleared; null while an attempt is under way. */
  @Nullable Boolean takeClearing() {
    if (attemptUnderWay) {
      return null;
    }
    boolean clear = mayBeInStore;
    mayBeInStore = false;
    return clear;
  }

  // ---- questions

  Owner owner() {
    return owner;
  }

  int tries() {
    return tries;
  }

  /** True if the next attempt waits for its time and may be made sooner. */
  boolean mayPlan() {
    return phase == Phase.WAITING && !attemptUnderWay && !signalled;
  }

  boolean isWaiting() {
    return phase == Phase.WAITING;
  }

  /** True if it has ended without a tenure, or with one that has ended since. */
  boolean isUnusable() {
    return phase == Phase.OVER || (granted != null && !granted.isLive());
  }

  /** True if the store's last word was that another holds it. */
  boolean isKnownToBeBusy() {
    return answered && faults.lastFault() == null;
  }

  /** True if the store has told it to wait at least once. */
  boolean hasWaited() {
    return hasWaited;
  }

  /** For how long the store has known it as a waiter. */
  long queuedNanos(long now) {
    return isQueued ? now - queuedAt : 0;
  }
}
