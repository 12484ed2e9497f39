package io.holdfast.internal.local.shared;

import io.holdfast.Finding;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LossReason;
import io.holdfast.internal.base.DeferredActions;
import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.lease.TenureListener;
import io.holdfast.internal.local.request.HolderListeners;
import io.holdfast.internal.local.request.Releasable;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The read-write lock of this process: readers and writers of it queue here in the order in which
 * they came, and readers inside at the same time share one tenure in the store.
 *
 * <pre>
 *   request --> [queue] --> inside --> tenure that fits? --> hold
 *                             |             no: ask the store; other readers wait for the same answer
 *                             |
 *   a writer is inside alone. Readers are inside together, and new ones join unless a writer
 *   waits: here in the queue, or in another process (the store says that the tenure is wanted).
 *
 *   a writer leaves --> somebody in the queue, and the tenure may stay here
 *                         a writer:  the same tenure, its next token: no I/O               (handoff)
 *                         readers:   all at the head of the queue share it; it claims less from
 *                                    then on, unless a writer follows them: see {@link #whole}
 *                   --> else it is given back to the store
 * </pre>
 *
 * <p>Everything is guarded by the monitor of this object. Nothing blocks inside it, and whatever
 * calls out is done after it, by {@link DeferredActions}.
 */
public final class LocalReadWriteLock implements TenureListener, Releasable {
  private final Resource resource;
  private final LockEngine engine;
  private final Context context;
  private final HolderListeners listeners;
  private final ThreadHolds threadHolds = new ThreadHolds();

  private final Deque<ReadWriteRequest> queue = new ArrayDeque<>();
  private final Set<ReadWriteRequest> inside = new LinkedHashSet<>();
  private final List<ReadWriteRequest> waitingForSharedTenure = new ArrayList<>();
  private @Nullable ReadWriteRequest leader;
  private final Map<Tenure, Integer> users = new HashMap<>();
  private @Nullable Tenure shared;

  /**
   * The shared tenure while it still claims all of the lock: readers that followed a writer are
   * inside. It stays whole only while a writer of this process waits behind them, so that nobody
   * else would be let in to read anyway, and nobody else wants it; then the writer can have it.
   * Volatile for the first look of {@link #tenureContended}.
   */
  private volatile @Nullable Tenure whole;

  public LocalReadWriteLock(String key, LockEngine engine) {
    this.resource = new Resource(Resource.Kind.READ_WRITE, key);
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

  ThreadHolds threadHolds() {
    return threadHolds;
  }

  // ---- coming in

  /** Starts a request. */
  void submit(ReadWriteRequest request) {
    context.requireOpen(resource);
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      if ((queue.isEmpty() || request.mayOvertake()) && mayEnter(request)) {
        enter(request, after);
      } else if (request.spec().immediate()) {
        after.add(() -> request.finish(null));
      } else {
        queue.add(request);
      }
      lessenUnlessWriterFollows(after);
    }
    after.run();
  }

  private boolean mayEnter(ReadWriteRequest request) {
    if (inside.isEmpty()) {
      return true;
    }
    return !request.isWrite() && !insideIsWriter();
  }

  private boolean insideIsWriter() {
    return inside.iterator().next().isWrite();
  }

  private void enter(ReadWriteRequest request, DeferredActions after) {
    inside.add(request);
    Tenure present = joinableBy(request);
    if (request.isWrite() || !request.mayShare()) {
      after.add(() -> startAcquisition(request));
    } else if (present != null) {
      begin(request, present, after);
    } else if (leader != null) {
      waitingForSharedTenure.add(request);
    } else {
      leader = request;
      after.add(() -> startAcquisition(request));
    }
  }

  /** The shared tenure, unless somebody else waits for it: then the store's queue decides. */
  private @Nullable Tenure joinableBy(ReadWriteRequest request) {
    Tenure present = shared;
    boolean joinable =
        present != null
            && present.handoff().fits(request.spec(), context.now())
            && (request.mayOvertake() || !present.isContended());
    return joinable ? present : null;
  }

  private void startAcquisition(ReadWriteRequest request) {
    Acquisition acquisition =
        engine.acquire(
            this, context.newOwner(), request.spec(), request.thread(), request.startedAt());
    request.follow(acquisition);
    acquisition
        .result()
        .whenComplete((tenure, fault) -> arrived(request, acquisition, tenure, fault));
  }

  private void arrived(
      ReadWriteRequest sentOut,
      Acquisition acquisition,
      @Nullable Tenure tenure,
      @Nullable Throwable fault) {
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      ReadWriteRequest present = leader;
      ReadWriteRequest request =
          present != null && present.acquisition() == acquisition ? present : sentOut;
      boolean led = request == leader;
      boolean again = tenure == null && fault == null && endedByAnother(request, acquisition);
      if (led && !again) {
        leader = null;
      }
      if (again) {
        request.leaveAcquisition();
        after.add(() -> startAcquisition(request));
      } else if (tenure != null) {
        begin(request, tenure, after);
        if (led) {
          shared = tenure;
          beginThoseWhoFit(tenure, after);
        }
      } else {
        Throwable cause = fault != null ? fault : acquisition.outageOrNull();
        after.add(() -> request.finish(cause));
        inside.remove(request);
        if (context.isClosed()) {
          failAll(waitingForSharedTenure, after);
        } else if (led) {
          letNextLead(after);
        }
        admit(after);
      }
      lessenUnlessWriterFollows(after);
    }
    after.run();
  }

  /**
   * True if somebody else has ended this request's way to the store: one that led before it, and
   * gave up at the very moment at which it left the lead.
   */
  private boolean endedByAnother(ReadWriteRequest request, Acquisition acquisition) {
    return request.goesOn() && acquisition.outageOrNull() == null && !context.isClosed();
  }

  private void beginThoseWhoFit(Tenure tenure, DeferredActions after) {
    long now = context.now();
    for (ReadWriteRequest other : List.copyOf(waitingForSharedTenure)) {
      if (tenure.handoff().fits(other.spec(), now)) {
        waitingForSharedTenure.remove(other);
        begin(other, tenure, after);
      }
    }
    letNextLead(after);
  }

  private void letNextLead(DeferredActions after) {
    if (!waitingForSharedTenure.isEmpty()) {
      ReadWriteRequest next = waitingForSharedTenure.remove(0);
      leader = next;
      after.add(() -> startAcquisition(next));
    }
  }

  private void failAll(Collection<ReadWriteRequest> requests, DeferredActions after) {
    List<ReadWriteRequest> all = List.copyOf(requests);
    requests.clear();
    inside.removeAll(all);
    all.forEach(each -> after.add(() -> each.finish(Context.closedWith(resource))));
  }

  private void begin(ReadWriteRequest request, Tenure tenure, DeferredActions after) {
    long now = context.now();
    long token = engine.confirmations().takeToken(tenure);
    Hold hold = new Hold(tenure, request.spec(), token, 0, now, request.thread());
    request.holds(hold);
    users.merge(tenure, 1, Integer::sum);
    after.add(
        () -> {
          context.events().acquired(hold, key(), now - request.startedAt());
          request.finish(null);
          if (!tenure.isLive()) {
            tenureLost(tenure);
          }
        });
  }

  /** Somebody has left: those who may enter now do, in order. */
  private void admit(DeferredActions after) {
    if (context.isClosed()) {
      failAll(queue, after);
    }
    while (!queue.isEmpty() && mayEnter(queue.element())) {
      enter(queue.remove(), after);
    }
  }

  /**
   * The leader gives up while others wait for the tenure it was to share: the first of them that
   * asks for the same goes on in its place, and keeps its place in the store's queue.
   */
  private boolean leaveLead(ReadWriteRequest leaving) {
    Acquisition acquisition = leaving.acquisition();
    if (leaving != leader || acquisition == null || !acquisition.isKnownToBeBusy()) {
      return false;
    }
    for (ReadWriteRequest next : waitingForSharedTenure) {
      if (next.asksForTheSameAs(leaving) && !next.isGivingUp()) {
        waitingForSharedTenure.remove(next);
        next.takeOver(leaving); // if it gives up from now on it finds itself in the lead
        acquisition.reassignTo(next.thread(), next.startedAt());
        leader = next;
        return true;
      }
    }
    return false;
  }

  /** A request that waits here, not in the store, gives up; false if it does not wait here. */
  boolean giveUp(ReadWriteRequest request) {
    DeferredActions after = new DeferredActions();
    boolean waited;
    synchronized (this) {
      waited = queue.remove(request);
      if (!waited && (waitingForSharedTenure.remove(request) || leaveLead(request))) {
        inside.remove(request);
        waited = true;
      }
      if (waited) {
        after.add(() -> request.finish(null));
        admit(after);
        lessenUnlessWriterFollows(after);
      }
    }
    after.run();
    return waited;
  }

  // ---- going out

  @Override
  public CompletableFuture<@Nullable Void> release(Hold ending) {
    if (!ending.tenure.isValid(context.now())) {
      engine.lose(ending.tenure, ending.tenure.reasonAtDeadline());
    }
    if (!ending.finish()) {
      LockLoss loss = ending.loss();
      return loss == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(new LockLostException(loss));
    }
    if (ending.spec.config().fair() && !ending.tenure.isContended() && localWaiters() > 0) {
      context.drainSignals();
    }
    DeferredActions after = new DeferredActions();
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    synchronized (this) {
      if (!leave(ending)) {
        after.add(() -> released(ending, "shared", done));
      } else if (mayHandOn(ending)) {
        after.add(() -> released(ending, "handed on", done));
        handOn(ending.tenure, after);
      } else {
        after.add(() -> giveBack(ending, done));
      }
      admit(after);
      lessenUnlessWriterFollows(after);
    }
    after.run();
    return done;
  }

  /** True if the tenure of a hold that has ended can stay here for the first in the queue. */
  private boolean mayHandOn(Hold ended) {
    Tenure tenure = ended.tenure;
    ReadWriteRequest next = queue.peek();
    long now = context.now();
    return next != null
        && inside.isEmpty()
        && tenure.claim().equals(Claim.WRITE)
        && tenure.handoff().fits(next.spec(), now)
        && tenure.handoff().mayHandOn(ended.spec.config().fair(), now)
        && !context.isClosed();
  }

  /** Lets the first in the queue in with this tenure: a writer, or all readers up to the next. */
  private void handOn(Tenure tenure, DeferredActions after) {
    long now = context.now();
    ReadWriteRequest next = queue.remove();
    while (true) {
      tenure.handoff().handedOn();
      inside.add(next);
      begin(next, tenure, after);
      if (next.isWrite()) {
        return;
      }
      ReadWriteRequest behind = queue.peek();
      if (behind == null || behind.isWrite() || !tenure.handoff().fits(behind.spec(), now)) {
        break;
      }
      next = queue.remove();
    }
    shared = tenure;
    whole = tenure;
  }

  /**
   * Readers need no more than their share: the rest goes back to the store, in one command for all
   * of them, unless a writer of this process follows and nobody else is kept out.
   */
  private void lessenUnlessWriterFollows(DeferredActions after) {
    Tenure tenure = whole;
    if (tenure == null) {
      return;
    }
    boolean writerFollows = !queue.isEmpty() && !tenure.isContended();
    if (!writerFollows || inside.stream().anyMatch(request -> needsStore(request, tenure))) {
      Claim share = lessenWhole(tenure);
      after.addFirst(() -> engine.lessen(tenure, share)); // somebody inside may wait for it
    }
  }

  private Claim lessenWhole(Tenure tenure) {
    whole = null;
    Claim share = inside.iterator().next().spec().claim();
    tenure.lessen(share);
    return share;
  }

  /**
   * Readers that claim all of the lock claim their share from now on, so that the store can tell
   * them from a writer. Completes when the store has answered once.
   */
  CompletableFuture<@Nullable Void> claimNoMoreThanNeeded() {
    Tenure tenure;
    Claim share;
    synchronized (this) {
      tenure = whole;
      if (tenure == null) {
        return CompletableFuture.completedFuture(null);
      }
      share = lessenWhole(tenure);
    }
    return engine.lessen(tenure, share);
  }

  /** True if this reader came in with a tenure of its own, or may overtake writers everywhere. */
  private static boolean needsStore(ReadWriteRequest reader, Tenure tenure) {
    Hold hold = reader.hold();
    return hold == null || hold.tenure != tenure || reader.spec().claim().overtakes();
  }

  @Override
  public void tenureContended(Tenure contended) {
    if (contended == whole) {
      context
          .scheduler()
          .schedule(0, this::lessenIfContended); // the caller may be inside a monitor
    }
  }

  private void lessenIfContended() {
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      lessenUnlessWriterFollows(after);
    }
    after.run();
  }

  /** True if that was the last hold in its tenure. */
  private boolean leave(Hold ending) {
    inside.removeIf(request -> request.hold() == ending);
    boolean last = users.merge(ending.tenure, -1, Integer::sum) <= 0;
    if (last) {
      forget(ending.tenure);
    }
    return last;
  }

  private void forget(Tenure tenure) {
    users.remove(tenure);
    if (shared == tenure) {
      shared = null;
      whole = null;
    }
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

  /**
   * A writer that also reads stops writing: its tenure claims no more than a reader's from now on
   * and is shared with others.
   *
   * @param writing the hold that ends
   * @param reading a request of the same thread, which takes over the tenure
   */
  CompletableFuture<@Nullable Void> downgrade(Hold writing, ReadWriteRequest reading) {
    if (!writing.finish()) {
      LockLoss loss = writing.loss();
      return loss == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(new LockLostException(loss));
    }
    DeferredActions after = new DeferredActions();
    CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();
    synchronized (this) {
      leave(writing);
      inside.add(reading);
      users.put(writing.tenure, 1);
      shared = writing.tenure;
      after.add(
          () -> {
            context.events().released(writing, key(), "downgraded");
            engine
                .lessen(writing.tenure, reading.spec().claim())
                .whenComplete((done, fault) -> answer.complete(null));
            if (!writing.tenure.isLive()) {
              tenureLost(writing.tenure); // lost just before the reader took over
            }
          });
      admit(after);
    }
    after.run();
    return answer;
  }

  /** Reads inside the own write hold: another hold in the same tenure, at no cost. */
  ReadWriteRequest readInside(Hold writing, AcquireSpec spec) {
    ReadWriteRequest reading = new ReadWriteRequest(this, spec, writing.thread);
    long now = context.now();
    reading.holds(new Hold(writing.tenure, spec, writing.token, 0, now, writing.thread));
    return reading;
  }

  // ---- loss

  @Override
  public void tenureLost(Tenure lost) {
    DeferredActions after = new DeferredActions();
    synchronized (this) {
      List<Hold> readsInsideWrites = threadHolds.readsIn(lost);
      for (ReadWriteRequest request : List.copyOf(inside)) {
        Hold hold = request.hold();
        if (hold != null && hold.tenure == lost) {
          lose(request, hold, after);
        }
      }
      readsInsideWrites.forEach(hold -> tell(hold, after)); // does nothing for those told already
      forget(lost);
      admit(after);
      lessenUnlessWriterFollows(after);
    }
    after.run();
  }

  private void lose(ReadWriteRequest request, Hold hold, DeferredActions after) {
    inside.remove(request);
    tell(hold, after);
  }

  private void tell(Hold hold, DeferredActions after) {
    LockLoss loss = engine.describe(hold, key(), hold.tenure.lossReason());
    List<Consumer<? super LockLoss>> callbacks = hold.lose(loss);
    if (callbacks == null) {
      return;
    }
    threadHolds.lost(hold, loss);
    after.add(
        () -> {
          engine.keptLocks().keepForAWhile(this);
          if (hold.spec.threadOwned() && hold.spec.config().interruptOnLoss()) {
            hold.thread.interrupt();
          }
          callbacks.forEach(callback -> callBack(callback, loss));
          listeners.announce(hold, loss);
        });
  }

  HolderListeners listeners() {
    return listeners;
  }

  /**
   * A handle of the calling thread that keeps it from coming in, or null. Readers come in beside
   * readers, so a handle that reads is in the way of a writer only.
   */
  synchronized @Nullable Hold handleOfCurrentThread(boolean write) {
    if (inside.isEmpty() || (!write && !insideIsWriter())) {
      return null;
    }
    for (ReadWriteRequest request : inside) {
      Hold hold = request.hold();
      if (hold != null && hold.isHandleOf(Thread.currentThread())) {
        return hold;
      }
    }
    return null;
  }

  // ---- for the watchdog

  @Override
  public synchronized List<Hold> holdsIn(Tenure tenure) {
    Set<Hold> holds = new LinkedHashSet<>();
    for (ReadWriteRequest request : inside) {
      Hold hold = request.hold();
      if (hold != null && hold.tenure == tenure) {
        holds.add(hold);
      }
    }
    holds.addAll(threadHolds.readsIn(tenure)); // also those inside their own write hold
    return List.copyOf(holds);
  }

  @Override
  public @Nullable CompletableFuture<@Nullable Void> abandoned(Hold dead) {
    threadHolds.forget(dead);
    boolean insideAnother;
    synchronized (this) {
      insideAnother = inside.stream().noneMatch(request -> request.hold() == dead);
    }
    return insideAnother ? null : release(dead);
  }

  @Override
  public void tenureResumed(Tenure resumed, Finding finding) {
    listeners.announceReturn(holdsIn(resumed), finding);
  }

  @Override
  public synchronized Map<Thread, Long> waitingSince() {
    Map<Thread, Long> since = new HashMap<>();
    for (Collection<ReadWriteRequest> place : List.of(queue, waitingForSharedTenure)) {
      place.forEach(request -> since.put(request.thread(), request.startedAt()));
    }
    return since;
  }

  @Override
  public synchronized Collection<Thread> queuedThreads() {
    List<Thread> threads = new ArrayList<>();
    for (Collection<ReadWriteRequest> place : List.of(queue, waitingForSharedTenure)) {
      for (ReadWriteRequest request : place) {
        if (request.spec().threadOwned()) {
          threads.add(request.thread());
        }
      }
    }
    return threads;
  }

  // ---- looking

  @Override
  public synchronized int localWaiters() {
    return queue.size() + waitingForSharedTenure.size();
  }
}
