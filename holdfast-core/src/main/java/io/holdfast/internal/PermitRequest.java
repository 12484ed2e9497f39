package io.holdfast.internal;

import io.holdfast.spi.Claim;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One caller of a {@link PermitPool}, from its request to the end of its hold. It waits here, and
 * if it bears an acquisition also in the store; whichever serves it first. What is not final is
 * guarded by the pool's monitor or written once before it is read.
 */
final class PermitRequest implements Pursuit {
  private final PermitPool pool;
  private final Demand demand;
  private final Thread thread;
  private final long startedAt;
  private final boolean waitsHere;
  private final CompletableFuture<@Nullable Hold> result = new CompletableFuture<>();
  private boolean waits = true;
  private boolean setsOut;
  private volatile @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;
  private volatile boolean timeIsUp;
  private volatile boolean abandoned;

  PermitRequest(PermitPool pool, Demand demand, Thread thread) {
    this.pool = pool;
    this.demand = demand;
    this.thread = thread;
    this.startedAt = pool.engine().time().nanoTime();
    this.waitsHere =
        demand.renew()
            && !demand.immediate()
            && !demand.config().fair()
            && demand.policy().allowsTryAfter(Integer.MAX_VALUE - 1);
  }

  Demand demand() {
    return demand;
  }

  Claim claim() {
    return demand.claim();
  }

  Thread thread() {
    return thread;
  }

  long startedAt() {
    return startedAt;
  }

  /**
   * True if it may wait behind others of this process and be served by one of them. Those who want
   * strict order, a lease of their own or a number of tries deal with the store by themselves.
   */
  boolean waitsHere() {
    return waitsHere;
  }

  /** True if a grant to the other is as good for this one. */
  boolean asksForTheSameAs(PermitRequest other) {
    return demand.claim().equals(other.demand.claim())
        && demand.lease().equals(other.demand.lease())
        && demand.config().equals(other.demand.config());
  }

  // ---- its way to the store

  /** True until it is served, gives up or fails. */
  boolean waits() {
    return waits;
  }

  void waitsNoLonger() {
    waits = false;
  }

  /** True if it has, or is about to have, an acquisition. */
  boolean isOnItsWay() {
    return setsOut || acquisition != null;
  }

  void setsOut() {
    setsOut = true;
  }

  @Nullable Acquisition acquisition() {
    return acquisition;
  }

  /** It bears this acquisition from now on. */
  void bear(Acquisition towardsStore) {
    acquisition = towardsStore;
    setsOut = false;
  }

  /** What was said before it had an acquisition applies to that. */
  void repeatTo(Acquisition towardsStore) {
    if (abandoned) {
      towardsStore.abandon();
    } else if (timeIsUp) {
      towardsStore.timeUp();
    }
  }

  /** True if the store has told it, or whoever bore its acquisition before, to wait. */
  boolean isKnownToWait() {
    Acquisition towardsStore = acquisition;
    return towardsStore != null ? towardsStore.isKnownToBeBusy() : !setsOut;
  }

  /** Leaves its acquisition to others. */
  @Nullable Acquisition takeAcquisition() {
    Acquisition taken = acquisition;
    acquisition = null;
    return taken;
  }

  // ---- its end

  @Nullable Hold hold() {
    return hold;
  }

  void holds(Hold begun) {
    hold = begun;
  }

  /** Ends with the hold, with nothing, or with the fault. */
  void finish(@Nullable Throwable fault) {
    if (hold == null && !result.isDone()) {
      pool.engine().events().ended(pool.key(), startedAt, fault);
    }
    if (fault != null) {
      result.completeExceptionally(fault);
    } else {
      result.complete(hold);
    }
  }

  /** True if it is about to leave. */
  boolean isGivingUp() {
    return abandoned || timeIsUp;
  }

  @Override
  public CompletableFuture<@Nullable Hold> result() {
    return result;
  }

  @Override
  public void timeUp() {
    timeIsUp = true;
    if (!pool.giveUp(this)) {
      Acquisition towardsStore = acquisition;
      if (towardsStore != null) {
        towardsStore.timeUp();
      } else {
        doNotWaitToBeShown();
      }
    }
  }

  @Override
  public void abandon() {
    abandoned = true;
    if (!pool.giveUp(this)) {
      Acquisition towardsStore = acquisition;
      if (towardsStore != null) {
        towardsStore.abandon();
      } else {
        doNotWaitToBeShown();
      }
    }
  }

  /** It has its permits, and its place in the store's queue is given up while it goes on. */
  private void doNotWaitToBeShown() {
    if (hold != null) {
      finish(null);
    }
  }
}
