package io.holdfast.internal.local.shared;

import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.local.request.PendingAcquire;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One reader or writer of a {@link LocalReadWriteLock}, from its request to the end of its hold.
 * What is not final is guarded by the core's monitor or written once before it is read.
 */
final class ReadWriteRequest implements PendingAcquire {
  private final LocalReadWriteLock core;
  private final AcquireSpec spec;
  private final Thread thread;
  private final long startedAt;
  private final CompletableFuture<@Nullable Hold> result = new CompletableFuture<>();
  private volatile @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;
  private volatile boolean passes;
  private volatile boolean timeIsUp;
  private volatile boolean abandoned;

  ReadWriteRequest(LocalReadWriteLock core, AcquireSpec spec, Thread thread) {
    this.core = core;
    this.spec = spec;
    this.thread = thread;
    this.startedAt = core.context().now();
  }

  AcquireSpec spec() {
    return spec;
  }

  Thread thread() {
    return thread;
  }

  long startedAt() {
    return startedAt;
  }

  boolean isWrite() {
    return spec.claim().amount() > 1;
  }

  /** True if a grant to the other is as good for this one. */
  boolean asksForTheSameAs(ReadWriteRequest other) {
    return spec.claim().equals(other.spec.claim())
        && spec.lease().equals(other.spec.lease())
        && spec.renew() == other.spec.renew()
        && spec.config().equals(other.spec.config());
  }

  /** True if it may wait for, and share, the tenure of other readers. */
  boolean mayShare() {
    return spec.renew() && !spec.immediate();
  }

  /** Enters before those who wait: its thread reads already. */
  void passAllWhoWait() {
    passes = true;
  }

  boolean mayOvertake() {
    return passes || spec.claim().overtakes();
  }

  @Nullable Hold hold() {
    return hold;
  }

  void holds(Hold begun) {
    hold = begun;
  }

  /** Ends with the hold, with nothing, or with the fault. */
  void finish(@Nullable Throwable fault) {
    if (hold == null && !result.isDone()) {
      core.context().events().ended(core.key(), startedAt, fault);
    }
    if (fault != null) {
      result.completeExceptionally(fault);
    } else {
      result.complete(hold);
    }
  }

  /** It is on its way to the store now; what was said before applies there. */
  void follow(Acquisition towardsStore) {
    acquisition = towardsStore;
    if (abandoned) {
      towardsStore.abandon();
    } else if (timeIsUp) {
      towardsStore.timeUp();
    }
  }

  /** True if it is about to leave. */
  boolean isGivingUp() {
    return abandoned || timeIsUp;
  }

  /** True if it wants to wait for as long as it takes, and has not been told otherwise. */
  boolean goesOn() {
    return !isGivingUp()
        && !spec.immediate()
        && spec.policy().allowsTryAfter(Integer.MAX_VALUE - 1);
  }

  /** It is not on its way to the store any more. */
  void leaveAcquisition() {
    acquisition = null;
  }

  /** Goes on with another request's way to the store. */
  void takeOver(ReadWriteRequest leaving) {
    acquisition = leaving.acquisition;
    leaving.acquisition = null;
  }

  @Nullable Acquisition acquisition() {
    return acquisition;
  }

  @Override
  public CompletableFuture<@Nullable Hold> result() {
    return result;
  }

  @Override
  public void timeUp() {
    timeIsUp = true;
    if (!core.giveUp(this)) {
      Acquisition towardsStore = acquisition;
      if (towardsStore != null) {
        towardsStore.timeUp();
      }
    }
  }

  @Override
  public void abandon() {
    abandoned = true;
    if (!core.giveUp(this)) {
      Acquisition towardsStore = acquisition;
      if (towardsStore != null) {
        towardsStore.abandon();
      }
    }
  }
}
