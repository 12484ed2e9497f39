package io.holdfast.internal.local.mutex;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LossReason;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.SelfWait;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.local.gate.LocalGate;
import io.holdfast.internal.local.request.HolderListeners;
import io.holdfast.internal.local.request.LeaseHandle;
import io.holdfast.internal.local.request.LockHandle;
import io.holdfast.internal.local.request.Releasable;
import io.holdfast.internal.observe.Inspection;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock of this process: the gate that its threads pass, the tenure they share, and the hold of
 * the one inside. All lock objects with the same key share it.
 *
 * <pre>
 *   enter the gate --> a tenure that fits is there --> take its next token: no I/O      (handoff)
 *                  --> none, or another lease wanted --> ask the engine
 *   leave          --> a local waiter, and it may stay here --> leave the tenure in place
 *                  --> else --> give it back to the store
 * </pre>
 *
 * <p>{@code tenure} belongs to whoever is inside the gate; nobody else touches it. A tenure that
 * was left for a waiter who then went away is picked up by {@link #clearIdleTenure}: the one who
 * leaves the queue looks at the gate after leaving, the one who opens the gate looks at the queue
 * after opening, so at least one of them sees it.
 *
 * <p>A fair lock that goes to another process has somebody set out for it again: {@link
 * PreparedAcquire}. What is under way belongs to the one inside the gate as well, and is cleared in
 * the same way.
 *
 * <p>Where the lock may linger, a tenure is also left without a waiter, until its time is over or
 * another process wants it: {@link IdleRetention}.
 */
public final class LocalMutex implements LockHandle, TenureListener, Releasable {
  private static final AtomicReferenceFieldUpdater<LocalMutex, @Nullable Hold> HOLD =
      AtomicReferenceFieldUpdater.newUpdater(LocalMutex.class, Hold.class, "hold");

  private final Resource resource;
  private final LockEngine engine;
  private final LocalGate gate = new LocalGate();
  private volatile @Nullable Hold hold;
  private volatile @Nullable RareState extras;

  /** Belongs to the one inside the gate; volatile only for the first look of clearIdleTenure. */
  private volatile @Nullable Tenure tenure;

  public LocalMutex(String key, LockEngine engine) {
    this.resource = Resource.lock(key);
    this.engine = engine;
  }

  @Override
  public Resource resource() {
    return resource;
  }

  @Override
  public String key() {
    return resource.key();
  }

  @Override
  public LockEngine engine() {
    return engine;
  }

  public LocalGate gate() {
    return gate;
  }

  // ---- taking

  /** Takes the lock for the calling thread or for a handle, and waits as the demand says. */
  @Nullable Hold take(AcquireSpec spec) throws InterruptedException {
    engine.context().requireOpen(resource);
    if (spec.threadOwned()) {
      Hold again = reenter();
      if (again != null) {
        return again;
      }
    } else if (!spec.immediate() && gate.isEnteredByCurrentThread()) {
      throw new IllegalStateException(
          "lock '%s': this thread holds it by lock(); acquire() makes a handle of its own and would wait for itself"
              .formatted(key()));
    }
    if (!spec.immediate()) {
      SelfWait.warn(resource, hold);
    }
    return new BlockingAcquire(this, spec).run();
  }

  private @Nullable Hold reenter() {
    if (!gate.isEnteredByCurrentThread()) {
      return null;
    }
    Hold current = hold;
    if (current != null && !current.tenure.isValid(engine.context().now())) {
      engine.lose(current.tenure, current.tenure.reasonAtDeadline()); // before its timer could
      return null;
    }
    return current != null && gate.reenter() ? current : null;
  }

  /**
   * Inside the gate: the hold that follows in a tenure left here, or null if the store is needed.
   */
  @Nullable Hold takeOver(AcquireSpec spec, int generation, long startedAt, Thread thread) {
    Tenure left = tenure;
    long now = engine.context().now();
    if (left == null || !left.handoff().fits(spec, startedAt, now)) {
      return null;
    }
    return begin(left, spec, generation, startedAt, thread);
  }

  /**
   * Inside the gate: sets out for the store. A tenure left here that does not fit is given back
   * first; an owner id is never used for a second acquisition, so that nothing late can be
   * mistaken.
   */
  Acquisition startAcquisition(AcquireSpec spec, Thread thread, long arrivedAt) {
    Tenure left = tenure;
    tenure = null;
    if (left != null && left.isLive()) {
      engine.release(left);
    }
    PreparedAcquire successor = successorUnderWay();
    Acquisition underWay = successor == null ? null : successor.takeOver(spec, thread, arrivedAt);
    return underWay != null
        ? underWay
        : engine.acquire(this, engine.context().newOwner(), spec, thread, arrivedAt);
  }

  /**
   * Inside the gate: true for one who does not wait while another of this process is under way, or
   * has been left a tenure in strict order and is about to come for it.
   */
  boolean wouldOvertake(AcquireSpec spec) {
    if (!spec.immediate() || !gate.hasWaiters()) {
      return false;
    }
    Tenure left = tenure;
    boolean leftInOrder =
        left != null && left.config().fair() && left.isContended() && left.isLive();
    return leftInOrder || successorUnderWay() != null;
  }

  private @Nullable PreparedAcquire successorUnderWay() {
    RareState present = extras;
    return present != null && present.successor.isThere() ? present.successor : null;
  }

  /** Inside the gate, with a tenure: the lock is held from here on. */
  public Hold begin(
      Tenure granted, AcquireSpec spec, int generation, long startedAt, Thread thread) {
    tenure = granted;
    granted.handoff().stopLingering();
    long now = engine.context().now();
    long token = engine.confirmations().takeToken(granted);
    Hold begun = new Hold(granted, spec, token, generation, now, thread);
    hold = begun;
    engine.context().events().acquired(begun, key(), now - startedAt);
    if (!granted.isLive()) {
      tenureLost(granted); // lost before the hold could be seen
    }
    return begun;
  }

  /** Enters if nobody is inside and no tenure was left here; the generation, or -1. */
  public int tryEnterFresh(boolean threadOwned) {
    int generation = gate.hasWaiters() ? -1 : gate.tryEnter(threadOwned);
    if (generation >= 0 && (tenure != null || successorUnderWay() != null)) {
      exitWithoutHold(generation); // somebody may rely on it to clear what was left
      return -1;
    }
    return generation;
  }

  /** Inside the gate without a hold: out again. */
  public void exitWithoutHold(int generation) {
    gate.exit(generation);
    clearIdleTenure();
  }

  // ---- giving back

  /** Unlocks for the calling thread; waits for the store after the last exit. */
  @Override
  public void unlock() {
    boolean awaited = isReleaseAwaited();
    CompletableFuture<@Nullable Void> answer = unlockAsync(awaited);
    if (awaited) {
      Awaits.await(engine.context().backend(), answer);
    }
  }

  /** False if whoever unlocks it now does not wait for the store. */
  public boolean isReleaseAwaited() {
    Hold current = hold;
    return current == null || !current.spec.config().pipelinedRelease();
  }

  /**
   * The same without waiting for the store.
   *
   * @param awaited true if the calling thread will wait for the answer
   */
  public CompletableFuture<@Nullable Void> unlockAsync(boolean awaited) {
    Hold current = hold;
    if (current == null || !current.spec.threadOwned() || !gate.isEnteredByCurrentThread()) {
      throw extras().lostHolds.explain(Thread.currentThread(), key(), current);
    }
    if (!current.tenure.isValid(engine.context().now())) {
      engine.lose(current.tenure, current.tenure.reasonAtDeadline());
      tenureLost(
          current.tenure); // if another thread is about to do it, it is done by one of us now
      throw extras().lostHolds.explain(Thread.currentThread(), key(), null);
    }
    if (gate.exitNested()) {
      return CompletableFuture.completedFuture(null);
    }
    return release(current, awaited);
  }

  @Override
  public CompletableFuture<@Nullable Void> release(Hold ending) {
    return release(ending, false);
  }

  private CompletableFuture<@Nullable Void> release(Hold ending, boolean awaited) {
    long now = engine.context().now();
    Tenure current = ending.tenure;
    if (!current.isValid(now)) {
      engine.lose(current, current.reasonAtDeadline());
    }
    if (!ending.finish()) {
      LockLoss loss = ending.loss();
      extras().lostHolds.forget(ending);
      return loss == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(new LockLostException(loss));
    }
    hold = null;
    boolean fair = ending.spec.config().fair();
    if (fair && mayHandOn(current, true, now)) {
      engine.context().drainSignals();
    }
    if (mayHandOn(current, fair, now)) {
      current.handoff().handedOn();
      engine.context().events().released(ending, key(), "handed on");
      gate.exit(ending.generation);
      clearIdleTenure();
      return CompletableFuture.completedFuture(null);
    }
    if (current.handoff().mayLinger(now) && !engine.context().isClosed()) {
      linger(ending);
      return CompletableFuture.completedFuture(null);
    }
    tenure = null;
    Acquisition next =
        fair && gate.hasWaiters() && !engine.context().isClosed()
            ? extras().successor.prepare(ending)
            : null;
    if (next == null) {
      CompletableFuture<ReleaseResult> answer = engine.release(current);
      gate.exit(ending.generation);
      return answer.thenAccept(result -> released(ending, result));
    }
    CompletableFuture<ReleaseResult> answer = engine.release(current, next);
    CompletableFuture<@Nullable Void> told = answer.thenAccept(result -> released(ending, result));
    exitWhenAnswered(
        ending.generation, next, awaited ? answer : CompletableFuture.completedFuture(null));
    return told;
  }

  /**
   * True if the next one here may have it without the store: of a fair lock that others want, if it
   * came before them.
   */
  private boolean mayHandOn(Tenure current, boolean fair, long now) {
    if (!gate.hasWaiters() || engine.context().isClosed()) {
      return false;
    }
    if (!fair || !current.isContended()) {
      return current.handoff().mayHandOn(fair, now);
    }
    Long cameAt = arrivalOfNext();
    return cameAt != null && current.handoff().mayHandOnTo(cameAt, now);
  }

  /** Since when the thread that comes next has wanted the lock; null if there is none. */
  @Nullable Long arrivalOfNext() {
    Thread next = gate.nextThread();
    return next == null ? null : waits().get(next);
  }

  /**
   * Out of the gate, for the one for whom something is under way to the store. It is woken only
   * when there is an answer, because it would have to wait for the same connection as the thread
   * that leaves; or when it has the lock already.
   */
  private void exitWhenAnswered(int generation, Acquisition next, CompletableFuture<?> answer) {
    AtomicBoolean left = new AtomicBoolean(); // once: numbers of generations come again
    Runnable exit =
        () -> {
          if (left.compareAndSet(false, true)) {
            gate.exit(generation);
            clearIdleTenure(); // the one it is for may have gone
          }
        };
    gate.disown();
    answer.whenComplete((done, fault) -> exit.run());
    next.result().whenComplete((done, fault) -> exit.run());
  }

  /** Leaves the tenure here, without anybody who waits for it. */
  private void linger(Hold ending) {
    IdleRetention here = extras().lingering;
    here.begin(ending.tenure);
    engine.context().events().released(ending, key(), "lingers");
    gate.exit(ending.generation);
    if (ending.tenure.isContended() || engine.context().isClosed()) {
      here.end(); // the wish may have come before it was left here
    }
  }

  @Override
  public void tenureContended(Tenure contended) {
    if (contended.handoff().lingers()) {
      clearIdleTenure(contended);
    }
  }

  private void released(Hold ended, ReleaseResult result) {
    if (result instanceof ReleaseResult.NotHeld) {
      LockLoss loss = engine.describe(ended, key(), LossReason.GONE_FROM_STORE);
      extras().listeners.announce(ended, loss);
      throw new LockLostException(loss);
    }
    engine
        .context()
        .events()
        .released(ended, key(), result instanceof ReleaseResult.Unknown ? "unknown" : "");
  }

  /** Gives back a tenure that was left for a waiter who is gone; one that may linger stays. */
  void clearIdleTenure() {
    Tenure left = tenure;
    if (left != null && !left.handoff().lingers()) {
      clearIdleTenure(left);
    }
    PreparedAcquire successor = successorUnderWay();
    if (successor != null) {
      ifUnclaimed(successor::clear);
    }
  }

  /** Gives back this tenure if nobody uses it. */
  void clearIdleTenure(Tenure unused) {
    if (tenure == unused) {
      ifUnclaimed(
          () -> {
            if (tenure == unused) {
              tenure = null;
              if (unused.isLive()) {
                engine.release(unused);
              }
            }
          });
    }
  }

  /** Does something inside the gate, unless somebody comes for what was left, or is inside. */
  private void ifUnclaimed(Runnable clearing) {
    if (gate.hasWaiters()) {
      return;
    }
    int generation = gate.tryEnter(false);
    if (generation < 0) {
      return; // the one inside will see to it
    }
    try {
      clearing.run();
    } finally {
      gate.exit(generation);
    }
  }

  // ---- loss

  /** Called once when a tenure is lost: whoever holds inside it is put out of the gate and told. */
  @Override
  public void tenureLost(Tenure lost) {
    Hold current = hold;
    if (current == null || current.tenure != lost) {
      return;
    }
    LockLoss loss = engine.describe(current, key(), lost.lossReason());
    List<Consumer<? super LockLoss>> callbacks =
        extras().lostHolds.loseAndRemember(current, loss, gate.holds());
    if (callbacks == null) {
      return; // its owner ended it first
    }
    engine.keptLocks().keepForAWhile(this);
    HOLD.compareAndSet(this, current, null);
    tenure = null;
    if (current.spec.threadOwned() && current.spec.config().interruptOnLoss()) {
      current.thread.interrupt();
    }
    gate.exit(current.generation);
    callbacks.forEach(callback -> callBack(callback, loss));
    extras().listeners.announce(current, loss);
  }

  public HolderListeners listeners() {
    return extras().listeners;
  }

  /** What most locks never need. */
  private RareState extras() {
    RareState present = extras;
    return present != null ? present : makeExtras();
  }

  private synchronized RareState makeExtras() {
    RareState present = extras;
    if (present == null) {
      present = new RareState(this, engine);
      extras = present;
    }
    return present;
  }

  // ---- for the watchdog

  @Override
  public List<Hold> holdsIn(Tenure held) {
    Hold current = hold;
    return current != null && current.tenure == held ? List.of(current) : List.of();
  }

  @Override
  public CompletableFuture<@Nullable Void> abandoned(Hold dead) {
    return release(dead);
  }

  /** Notes that a thread waits, for alerts when it does so for long and for strict order. */
  void waitBegins(long since) {
    waits().put(Thread.currentThread(), since);
  }

  void waitEnds() {
    waits().remove(Thread.currentThread());
  }

  private Map<Thread, Long> waits() {
    return extras().waits;
  }

  @Override
  public Map<Thread, Long> waitingSince() {
    RareState present = extras;
    return present == null ? Map.of() : present.waits;
  }

  @Override
  public void tenureResumed(Tenure resumed, Finding finding) {
    extras().listeners.announceReturn(holdsIn(resumed), finding);
  }

  @Override
  public Collection<Thread> queuedThreads() {
    return gate.queuedThreads();
  }

  @Override
  public int localWaiters() {
    return gate.waiters();
  }

  // ---- looking

  /** The valid hold of the calling thread, or null. */
  public @Nullable Hold holdOfCurrentThread() {
    Hold current = hold;
    boolean mine =
        current != null
            && current.spec.threadOwned()
            && gate.isEnteredByCurrentThread()
            && current.isValid(engine.context().now());
    return mine ? current : null;
  }

  /** True if an unlock by the calling thread concerns a hold of its own, be it lost. */
  @Override
  public boolean isKnownToCurrentThread() {
    Thread current = Thread.currentThread();
    RareState present = extras;
    return gate.isEnteredByCurrentThread()
        || (present != null && present.lostHolds.isKnown(current));
  }

  /** The valid hold of anyone in this process, or null. */
  @Nullable Hold localHold() {
    Hold current = hold;
    return current != null && current.isValid(engine.context().now()) ? current : null;
  }

  /** Gives it back if it lingers here. */
  public void endLingering() {
    Tenure left = tenure;
    if (left != null && left.handoff().lingers()) {
      clearIdleTenure(left);
    }
  }

  /** True if nobody of this process holds it, waits for it or asks for it. */
  public boolean isIdle() {
    return gate.holds() == 0 && !gate.hasWaiters();
  }

  RuntimeException closedException() {
    return Context.closedWith(resource);
  }

  // ---- what the public shell calls

  @Override
  public String kind() {
    return resource.kind().label();
  }

  @Override
  public @Nullable String selfWait() {
    return SelfWait.textOrNull(hold);
  }

  @Override
  public Claim claim() {
    return Claim.EXCLUSIVE;
  }

  @Override
  public boolean lock(AcquireSpec spec) throws InterruptedException {
    return take(spec) != null;
  }

  @Override
  public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
    Hold hold = take(spec);
    if (hold == null) {
      return null;
    }
    hold.acquiredOnThread();
    return new LeaseHandle(this, hold);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
    return new AsyncAcquire(this, spec).start();
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return holdOfCurrentThread() != null;
  }

  @Override
  public boolean isDegraded() {
    Hold hold = holdOfCurrentThread();
    return hold != null && hold.tenure.isDegraded();
  }

  @Override
  public int holdCount() {
    return holdOfCurrentThread() == null ? 0 : gate.holds();
  }

  @Override
  public long token() {
    Hold hold = holdOfCurrentThread();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "lock '%s' is not held by thread '%s', so it has no token to give"
              .formatted(resource.key(), Thread.currentThread().getName()));
    }
    return hold.token;
  }

  @Override
  public boolean isLocked() {
    return localHold() != null || info().isLocked();
  }

  @Override
  public Duration remaining() {
    Hold hold = localHold();
    if (hold != null) {
      return Duration.ofNanos(hold.tenure.remainingNanos(engine.context().now()));
    }
    return info().holder().map(LockInfo.Holder::remaining).orElse(Duration.ZERO);
  }

  @Override
  public LockInfo info() {
    return Inspection.combine(
        resource,
        engine.queries().ask(resource, backend -> backend.inspect(resource)),
        this::local,
        gate.waiters());
  }

  private Inspection.@Nullable Local local(Owner owner) {
    Hold hold = localHold();
    return hold != null && hold.tenure.owner().equals(owner)
        ? new Inspection.Local(hold.thread.getName(), hold.token, gate.holds())
        : null;
  }

  @Override
  public boolean forceUnlock() {
    return engine.forcedRelease().run(resource);
  }

  @Override
  public void addLossListener(Consumer<? super LockLoss> listener) {
    listeners().add(listener);
  }

  @Override
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    listeners().remove(listener);
  }

  @Override
  public void addReturnListener(Consumer<? super Finding> listener) {
    listeners().addForReturns(listener);
  }

  @Override
  public void removeReturnListener(Consumer<? super Finding> listener) {
    listeners().removeForReturns(listener);
  }
}
