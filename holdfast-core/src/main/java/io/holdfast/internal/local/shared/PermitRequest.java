package io.holdfast.internal.local.shared;

import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.local.request.PendingAcquire;
import io.holdfast.spi.Claim;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One caller of a {@link LocalSemaphore}, from its request to the end of its hold. It waits here,
 * and if it bears an acquisition also in the store; whichever serves it first. What is not final is
 * guarded by the pool's monitor or written once before it is read.
 */
final class PermitRequest implements PendingAcquire {
  private final LocalSemaphore pool;
  private final AcquireSpec spec;
  private final Thread thread;
  private final long startedAt;
  private final boolean queuesLocally;
  private final CompletableFuture<@Nullable Hold> result = new CompletableFuture<>();
  private boolean waits = true;
  private boolean setsOut;
  private volatile @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;
  private volatile boolean timeIsUp;
  private volatile boolean abandoned;

  PermitRequest(LocalSemaphore pool, AcquireSpec spec, Thread thread) {
    this.pool = pool;
    this.spec = spec;
    this.thread = thread;
    this.startedAt = pool.context().now();
    this.queuesLocally =
        spec.renew()
            && !spec.immediate()
            && !spec.config().fair()
            && spec.policy().allowsTryAfter(Integer.MAX_VALUE - 1);
  }

  AcquireSpec spec() {
    return spec;
  }

  Claim claim() {
    return spec.claim();
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
  boolean queuesLocally() {
    return queuesLocally;
  }

  /** True if a grant to the other is as good for this one. */
  boolean asksForTheSameAs(PermitRequest other) {
    return spec.claim().equals(other.spec.claim())
        && spec.lease().equals(other.spec.lease())
        && spec.config().equals(other.spec.config());
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
  void attach(Acquisition towardsStore) {
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
      pool.context().events().ended(pool.key(), startedAt, fault);
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
