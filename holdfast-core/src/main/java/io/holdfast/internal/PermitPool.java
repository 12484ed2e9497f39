package io.holdfast.internal;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.LossReason;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore of this process. Every acquisition is a tenure of its own in the store, with its own
 * lease and token, so the store's queue decides between threads as well as between processes.
 */
public final class PermitPool implements TenureHolder, HoldOwner {
  private final Resource resource;
  private final int declared;
  private final LockEngine engine;
  private final Map<Tenure, Hold> holds = new ConcurrentHashMap<>();
  private final HolderListeners listeners;

  /** A semaphore with so many permits. */
  public PermitPool(String key, int permits, LockEngine engine) {
    this.resource = new Resource(Resource.Kind.SEMAPHORE, key);
    this.declared = permits;
    this.engine = engine;
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

  // ---- taking and giving back

  /** Takes permits; null if there were not enough for as long as it may wait. */
  public @Nullable Lease acquire(Demand demand) throws InterruptedException {
    Hold hold = Pursuit.await(pursue(demand), demand, this);
    return hold == null ? null : new LeaseHandle(this, hold);
  }

  /** Takes permits without blocking. */
  public CompletableFuture<Lease> acquireAsync(Demand demand) {
    return Pursuit.follow(pursue(demand), demand, this);
  }

  private Pursuit pursue(Demand demand) {
    engine.requireOpen(key());
    long startedAt = engine.time().nanoTime();
    Thread thread = Thread.currentThread();
    Acquisition acquisition = engine.acquire(this, engine.newOwner(), demand, thread, startedAt);
    CompletableFuture<@Nullable Hold> result =
        acquisition
            .result()
            .thenApply(tenure -> arrived(acquisition, tenure, demand, thread, startedAt))
            .whenComplete(
                (hold, fault) -> {
                  if (hold == null) {
                    engine.events().ended(key(), startedAt, fault);
                  }
                });
    return new AcquisitionPursuit(acquisition, result);
  }

  private @Nullable Hold arrived(
      Acquisition acquisition,
      @Nullable Tenure tenure,
      Demand demand,
      Thread thread,
      long startedAt) {
    long now = engine.time().nanoTime();
    if (tenure == null) {
      acquisition.throwFaultBehindSilence();
      return null;
    }
    Hold hold = new Hold(tenure, demand, tenure.takeToken(), 0, now, thread);
    holds.put(tenure, hold);
    engine.events().acquired(hold, key(), now - startedAt);
    if (!tenure.isLive()) {
      tenureLost(tenure);
    }
    return hold;
  }

  @Override
  public CompletableFuture<@Nullable Void> release(Hold ending) {
    Tenure tenure = ending.tenure;
    if (!tenure.isValid(engine.time().nanoTime())) {
      engine.lose(tenure, tenure.reasonAtDeadline());
    }
    if (!ending.finish()) {
      LockLoss loss = ending.loss();
      return loss == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(new LockLostException(loss));
    }
    holds.remove(tenure);
    return engine
        .release(tenure)
        .thenAccept(
            answer -> {
              if (answer instanceof ReleaseResult.NotHeld) {
                LockLoss loss = engine.describe(ending, key(), LossReason.GONE_FROM_STORE);
                listeners.announce(ending, loss);
                throw new LockLostException(loss);
              }
              engine.events().released(ending, key(), "");
            });
  }

  @Override
  public void tenureLost(Tenure lost) {
    Hold hold = holds.remove(lost);
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

  /** How many permits there are now. */
  public int limit() {
    int limit = snapshot().limit();
    return limit == 0 ? declared : limit;
  }

  /** How many nobody holds. */
  public int available() {
    LockSnapshot snapshot = snapshot();
    int used = snapshot.holders().stream().mapToInt(LockSnapshot.Holder::amount).sum();
    return (snapshot.limit() == 0 ? declared : snapshot.limit()) - used;
  }

  /** Changes how many there are, for everyone. */
  public void setLimit(int limit) {
    engine.ask(resource, backend -> backend.setLimit(resource, declared, limit));
  }

  /** Who holds permits and who waits. */
  public LockInfo info() {
    return Inspection.combine(resource, snapshot(), owner -> null, 0);
  }

  /** Takes the permits away from everyone. */
  public boolean forceRelease() {
    boolean forced = engine.ask(resource, backend -> backend.forceRelease(resource));
    if (forced) {
      engine.events().forced(key());
    }
    return forced;
  }

  private LockSnapshot snapshot() {
    return engine.ask(resource, backend -> backend.inspect(resource));
  }

  /** Who hears of losses and returns of permits taken through this object. */
  public HolderListeners listeners() {
    return listeners;
  }

  // ---- for the watchdog

  @Override
  public List<Hold> holdsIn(Tenure tenure) {
    Hold hold = holds.get(tenure);
    return hold == null ? List.of() : List.of(hold);
  }

  @Override
  public void tenureResumed(Tenure resumed, Finding finding) {
    listeners.announceReturn(holdsIn(resumed), finding);
  }
}
