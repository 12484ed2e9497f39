package io.holdfast.internal.local.shared;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LossReason;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.base.DeferredActions;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.local.request.HolderListeners;
import io.holdfast.internal.local.request.LeaseHandle;
import io.holdfast.internal.local.request.PendingAcquire;
import io.holdfast.internal.local.request.Releasable;
import io.holdfast.internal.observe.Inspection;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore of this process. All semaphore objects with the same key share it. Permits that are
 * held are a tenure in the store; those who wait queue here in the order in which they came, and
 * the first of them also in the store.
 *
 * <pre>
 *   request --> [queue] --> nobody here is known to wait for as many: asks the store at once
 *                           else: behind the others, without a word to the store
 *
 *   the store grants      --> whoever bears that acquisition; the next in the queue asks then
 *   a holder gives back   --> the first known to wait, if the tenure may stay here and is enough:
 *                             the same tenure, its next token, no I/O                (handoff)
 *                             its acquisition goes to the first who has none: they wait in its place;
 *                             or its place in the store is given up before it hears of its permits
 *                         --> else it is given back to the store
 * </pre>
 *
 * <p>Who wants strict order ({@code fair}), a lease of its own or a number of tries, or does not
 * wait at all, does not queue here but asks the store by itself; while such a request waits nothing
 * is handed on, since the store cannot tell its own client that it is wanted.
 *
 * <p>Of those who ask for the same number the first always waits in the store as well. Requests for
 * other numbers do not wait behind it: only the store knows how many permits there are, and passes
 * over those who want more.
 *
 * <p>Everything is guarded by the monitor of this object. Nothing blocks inside it, and whatever
 * calls out is done after it, by {@link DeferredActions}.
 */
public final class LocalSemaphore implements TenureListener, Releasable {
  /** Twice as many ask each time, so it does not take long until all do. */
  private static final int MORE_IF_PLENTY = 2;

  private final Resource resource;
  private final LockEngine engine;
  private final Context context;
  private final HolderListeners listeners;

  private final Map<Tenure, Hold> holds = new HashMap<>();
  private final Deque<PermitRequest> queue = new ArrayDeque<>();
  private int directWaiters;

  /** When it was last heard that others want permits, if ever. Tenures since then are not meant. */
  private volatile long contendedAt;

  private volatile boolean everContended;

  public LocalSemaphore(String key, LockEngine engine) {
    this.resource = new Resource(Resource.Kind.SEMAPHORE, key);
    this.engine = engine;
    this.context = engine.context();
    this.listeners = new HolderListeners(this, engine);
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

  // ---- taking

  /** Takes permits; null if there were not enough for as long as it may wait. */
  public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
    if (spec.interruptible()) {
      Awaits.failIfInterrupted();
    }
    Hold hold = PendingAcquire.await(submit(spec), spec, this);
    return hold == null ? null : new LeaseHandle(this, hold);
  }

  /** Takes permits without blocking. */
  public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
    return PendingAcquire.follow(submit(spec), spec, this);
  }

  private PermitRequest submit(AcquireSpec spec) {
    context.requireOpen(resource);
    PermitRequest request = new PermitRequest(this, spec, Thread.currentThread());
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      boolean othersWait = isWaitedFor(spec.claim().amount());
      if (request.queuesLocally()) {
        queue.add(request);
        if (!othersWait) {
          startAcquisition(request, after);
        }
      } else if (spec.immediate() && othersWait) {
        request.waitsNoLonger();
        after.add(() -> request.finish(null));
      } else {
        directWaiters += spec.immediate() ? 0 : 1;
        startAcquisition(request, after);
      }
    }
    after.run();
    return request;
  }

  /** True if somebody here is known to wait for as many. */
  private boolean isWaitedFor(int amount) {
    for (PermitRequest request : queue) {
      if (request.claim().amount() == amount && request.isKnownToWait()) {
        return true;
      }
    }
    return false;
  }

  private void startAcquisition(PermitRequest request, DeferredActions after) {
    request.setsOut();
    after.add(() -> askStore(request));
  }

  private void askStore(PermitRequest request) {
    Acquisition acquisition =
        engine.acquire(
            this, context.newOwner(), request.spec(), request.thread(), request.startedAt());
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      if (request.waits()) {
        request.attach(acquisition);
        after.add(() -> request.repeatTo(acquisition));
      } else if (!passOn(acquisition, request)) { // somebody of this process was faster
        after.add(acquisition::abandon);
      }
    }
    after.run();
    acquisition
        .result()
        .whenComplete((tenure, fault) -> arrived(request, acquisition, tenure, fault));
  }

  private void arrived(
      PermitRequest sentOut,
      Acquisition acquisition,
      @Nullable Tenure tenure,
      @Nullable Throwable fault) {
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      PermitRequest bearer = bearerOf(acquisition, sentOut);
      if (bearer == null) {
        if (tenure != null) { // granted when nobody needed it any more
          after.add(() -> engine.release(tenure));
        }
      } else if (tenure != null) {
        noLongerWaits(bearer);
        begin(bearer, tenure, null, after);
        letNextSetOut(acquisition.hasWaited() ? 0 : MORE_IF_PLENTY, after);
      } else if (fault == null && bearer.queuesLocally() && !bearer.isGivingUp()) {
        bearer.takeAcquisition(); // it was given up by one who bore it before
        startAcquisition(bearer, after);
      } else {
        Throwable cause = fault != null ? fault : acquisition.outageOrNull();
        noLongerWaits(bearer);
        after.add(() -> bearer.finish(cause));
      }
      letFirstSetOut(sentOut.claim().amount(), after);
    }
    after.run();
  }

  private @Nullable PermitRequest bearerOf(Acquisition acquisition, PermitRequest sentOut) {
    if (sentOut.acquisition() == acquisition) {
      return sentOut;
    }
    for (PermitRequest request : queue) {
      if (request.acquisition() == acquisition) {
        return request;
      }
    }
    return null;
  }

  private void noLongerWaits(PermitRequest request) {
    request.waitsNoLonger();
    request.takeAcquisition();
    if (request.queuesLocally()) {
      queue.remove(request);
    } else if (!request.spec().immediate()) {
      directWaiters--;
    }
  }

  /**
   * A request has its permits.
   *
   * @param leaving its way to the store, if that has to be given up first: until then the request
   *     would keep others waiting, or be seen to wait
   */
  private void begin(
      PermitRequest request, Tenure tenure, @Nullable Acquisition leaving, DeferredActions after) {
    long now = context.now();
    long token = engine.confirmations().takeToken(tenure);
    Hold hold = new Hold(tenure, request.spec(), token, 0, now, request.thread());
    request.holds(hold);
    holds.put(tenure, hold);
    after.add(
        () -> {
          context.events().acquired(hold, key(), now - request.startedAt());
          if (leaving == null) {
            show(request, tenure);
          } else {
            leaving.abandon(() -> show(request, tenure));
          }
        });
  }

  private void show(PermitRequest request, Tenure tenure) {
    request.finish(null);
    if (!tenure.isLive()) {
      tenureLost(tenure);
    }
  }

  /** The first who waits here for so many always waits in the store as well. */
  private void letFirstSetOut(int amount, DeferredActions after) {
    if (context.isClosed()) {
      failThoseBehind(after);
    }
    for (PermitRequest request : queue) {
      if (request.claim().amount() == amount) {
        if (!request.isOnItsWay()) {
          startAcquisition(request, after);
        }
        return;
      }
    }
  }

  /** So many of those who have not asked the store do so. */
  private void letNextSetOut(int number, DeferredActions after) {
    int left = number;
    for (PermitRequest request : queue) {
      if (left > 0 && !request.isOnItsWay()) {
        startAcquisition(request, after);
        left--;
      }
    }
  }

  private void failThoseBehind(DeferredActions after) {
    for (PermitRequest request : List.copyOf(queue)) {
      if (!request.isOnItsWay()) {
        noLongerWaits(request);
        after.add(() -> request.finish(Context.closedWith(resource)));
      }
    }
  }

  /**
   * Somebody does not need its acquisition any more: the first who has none and asks for the same
   * goes on with it, and keeps the place in the store's queue.
   *
   * @return false if there is none
   */
  private boolean passOn(Acquisition left, PermitRequest from) {
    PermitRequest heir = heirOf(from);
    if (heir != null) {
      heir.attach(left);
      left.reassignTo(heir.thread(), heir.startedAt());
    }
    return heir != null;
  }

  private @Nullable PermitRequest heirOf(PermitRequest leaving) {
    for (PermitRequest request : queue) {
      if (!request.isOnItsWay() && request.claim().amount() == leaving.claim().amount()) {
        boolean same = request.asksForTheSameAs(leaving) && !request.isGivingUp();
        return same ? request : null; // nobody is overtaken
      }
    }
    return null;
  }

  /** A request that waits here, or may leave its place in the store to another, gives up. */
  boolean giveUp(PermitRequest request) {
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      if (!request.waits() || !request.queuesLocally()) {
        return false;
      }
      Acquisition acquisition = request.acquisition();
      if (request.isOnItsWay()) {
        if (acquisition == null
            || !acquisition.isKnownToBeBusy()
            || !passOn(acquisition, request)) {
          return false;
        }
      }
      noLongerWaits(request);
      after.add(() -> request.finish(null));
      letFirstSetOut(request.claim().amount(), after);
    }
    after.run();
    return true;
  }

  // ---- giving back

  @Override
  public CompletableFuture<@Nullable Void> release(Hold ending) {
    Tenure tenure = ending.tenure;
    if (!tenure.isValid(context.now())) {
      engine.lose(tenure, tenure.reasonAtDeadline());
    }
    if (!ending.finish()) {
      LockLoss loss = ending.loss();
      return loss == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(new LockLostException(loss));
    }
    if (ending.spec.config().fair() && !tenure.isContended() && localWaiters() > 0) {
      context.drainSignals();
    }
    DeferredActions after = new DeferredActions();
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    synchronized (this) {
      holds.remove(tenure, ending);
      PermitRequest next = firstKnownToWait();
      if (next != null && mayHandOn(ending, next)) {
        after.add(() -> released(ending, "handed on", done));
        handOn(tenure, next, after);
      } else {
        after.add(() -> giveBack(ending, done));
      }
    }
    after.run();
    return done;
  }

  /**
   * The first of those whom the store has told to wait, or who are behind one of them. The others
   * are about to be answered; to serve them here would only make them ask for nothing.
   */
  private @Nullable PermitRequest firstKnownToWait() {
    for (PermitRequest request : queue) {
      if (request.isKnownToWait()) {
        return request;
      }
    }
    return null;
  }

  /** True if the tenure of a hold that has ended can stay here for the next. */
  private boolean mayHandOn(Hold ended, PermitRequest next) {
    Tenure tenure = ended.tenure;
    if (directWaiters > 0 || context.isClosed()) {
      return false;
    }
    if (everContended && tenure.openedAt() - contendedAt <= 0) {
      tenure.handoff().noteContender(null);
    }
    long now = context.now();
    Claim claim = tenure.claim();
    return next.claim().amount() <= claim.amount()
        && next.claim().limit() == claim.limit()
        && tenure.handoff().fits(next.spec(), now)
        && tenure.handoff().mayHandOn(ended.spec.config().fair(), now);
  }

  private void handOn(Tenure tenure, PermitRequest next, DeferredActions after) {
    Acquisition unneeded = next.acquisition();
    noLongerWaits(next);
    tenure.handoff().handedOn();
    Claim less = next.claim();
    if (less.amount() < tenure.claim().amount()) {
      tenure.lessen(less);
      after.add(() -> engine.lessen(tenure, less));
    }
    boolean needless = unneeded != null && !passOn(unneeded, next);
    begin(next, tenure, needless ? unneeded : null, after);
    letFirstSetOut(next.claim().amount(), after);
  }

  private void released(Hold ended, String detail, CompletableFuture<@Nullable Void> done) {
    context.events().released(ended, key(), detail);
    done.complete(null);
  }

  private void giveBack(Hold ended, CompletableFuture<@Nullable Void> done) {
    engine
        .release(ended.tenure)
        .whenComplete(
            (answer, fault) -> {
              if (fault != null) {
                done.completeExceptionally(engine.queries().explain(resource, fault));
              } else if (answer instanceof ReleaseResult.NotHeld) {
                LockLoss loss = engine.describe(ended, key(), LossReason.GONE_FROM_STORE);
                listeners.announce(ended, loss);
                done.completeExceptionally(new LockLostException(loss));
              } else {
                released(ended, "", done);
              }
            });
  }

  /** The store tells one of our tenures; it is meant for all. */
  @Override
  public void tenureContended(Tenure contended) {
    noteContention();
  }

  private void noteContention() {
    contendedAt = context.now(); // before the flag: who reads that must read the time
    everContended = true;
  }

  // ---- loss

  @Override
  public void tenureLost(Tenure lost) {
    Hold hold;
    synchronized (this) {
      hold = holds.remove(lost);
    }
    if (hold == null) {
      return;
    }
    LockLoss loss = engine.describe(hold, key(), lost.lossReason());
    List<Consumer<? super LockLoss>> callbacks = hold.lose(loss);
    if (callbacks != null) {
      callbacks.forEach(callback -> callBack(callback, loss));
      listeners.announce(hold, loss);
    }
  }

  // ---- looking and changing

  /** How many permits there are now, if so many were declared. */
  public int limit(int declared) {
    int limit = snapshot().limit();
    return limit == 0 ? declared : limit;
  }

  /** How many nobody holds. */
  public int available(int declared) {
    LockSnapshot snapshot = snapshot();
    int used = snapshot.holders().stream().mapToInt(LockSnapshot.Holder::amount).sum();
    return (snapshot.limit() == 0 ? declared : snapshot.limit()) - used;
  }

  /** Changes how many there are, for everyone. */
  public void setLimit(int declared, int limit) {
    engine.queries().ask(resource, backend -> backend.setLimit(resource, declared, limit));
    noteContention(); // if there are fewer now, the store must have them
  }

  /** Who holds permits and who waits. */
  public LockInfo info() {
    LockSnapshot snapshot = snapshot();
    return Inspection.combine(resource, snapshot, this::local, localWaiters());
  }

  private Inspection.@Nullable Local local(Owner owner) {
    Tenure tenure = engine.findTenure(owner);
    List<Hold> held = tenure == null ? List.of() : holdsIn(tenure);
    return held.isEmpty()
        ? null
        : new Inspection.Local(held.get(0).thread.getName(), held.get(0).token, 1);
  }

  @Override
  public synchronized int localWaiters() {
    return (int) queue.stream().filter(request -> !request.isOnItsWay()).count();
  }

  /** Takes the permits away from everyone. */
  public boolean forceRelease() {
    return engine.forcedRelease().run(resource);
  }

  private LockSnapshot snapshot() {
    return engine.queries().ask(resource, backend -> backend.inspect(resource));
  }

  /** Who hears of losses and returns of permits of this process. */
  public HolderListeners listeners() {
    return listeners;
  }

  // ---- for the watchdog

  @Override
  public synchronized List<Hold> holdsIn(Tenure tenure) {
    Hold hold = holds.get(tenure);
    return hold == null ? List.of() : List.of(hold);
  }

  @Override
  public void tenureResumed(Tenure resumed, Finding finding) {
    listeners.announceReturn(holdsIn(resumed), finding);
  }

  @Override
  public synchronized Map<Thread, Long> waitingSince() {
    Map<Thread, Long> since = new HashMap<>();
    for (PermitRequest request : queue) {
      if (!request.isOnItsWay()) {
        since.putIfAbsent(request.thread(), request.startedAt());
      }
    }
    return since;
  }

  @Override
  public Collection<Thread> queuedThreads() {
    return waitingSince().keySet();
  }
}
