package io.holdfast.internal.local.shared;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.SelfWait;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.local.request.LeaseHandle;
import io.holdfast.internal.local.request.LockHandle;
import io.holdfast.internal.local.request.PendingAcquire;
import io.holdfast.internal.observe.Inspection;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Holders;
import io.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One side of a read-write lock behind its public shell. */
public final class ReadWriteHandle implements LockHandle {
  private final LocalReadWriteLock core;
  private final Claim claim;
  private final boolean write;

  public ReadWriteHandle(LocalReadWriteLock core, Claim claim) {
    this.core = core;
    this.claim = claim;
    this.write = claim.equals(Claim.WRITE);
  }

  @Override
  public String kind() {
    return core.resource().kind().label();
  }

  @Override
  public @Nullable String selfWait() {
    return SelfWait.textOrNull(core.handleOfCurrentThread(write));
  }

  @Override
  public Claim claim() {
    return claim;
  }

  @Override
  public boolean lock(AcquireSpec spec) throws InterruptedException {
    core.context().requireOpen(core.resource());
    ThreadHolds threads = core.threadHolds();
    loseIfOverdue(threads.holdOfCurrentThread(write));
    if (threads.reenter(write)) {
      return true;
    }
    Hold writing = threads.holdOfCurrentThread(true);
    if (!write && writing != null && writing.isValid(core.context().now())) {
      threads.entered(false, core.readInside(writing, spec));
      if (writing.tenure.isLive()) {
        return true;
      }
      core.tenureLost(writing.tenure); // lost in between: told by what follows
    }
    if (write && threads.count(false) > 0) {
      if (spec.immediate()) {
        return false; // this very thread reads
      }
      throw refusedUpgrade();
    }
    ReadWriteRequest request = new ReadWriteRequest(core, spec, Thread.currentThread());
    warnOfSelfWait(spec);
    core.submit(request);
    if (PendingAcquire.await(request, spec, core) == null) {
      return false;
    }
    threads.entered(write, request);
    return true;
  }

  private void loseIfOverdue(@Nullable Hold hold) {
    if (hold != null && !hold.tenure.isValid(core.context().now())) {
      core.engine().lose(hold.tenure, hold.tenure.reasonAtDeadline());
      core.tenureLost(
          hold.tenure); // if another thread is about to do it, it is done by one of us now
    }
  }

  private IllegalStateException refusedUpgrade() {
    return new IllegalStateException(
        ("read-write lock '%s': a thread that reads cannot wait to write, two of them would "
                + "wait for each other; unlock the read lock first, or take the write lock from the "
                + "start")
            .formatted(core.key()));
  }

  @Override
  public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
    ReadWriteRequest request = new ReadWriteRequest(core, spec, Thread.currentThread());
    if (!spec.immediate()) {
      refuseWaitForSelf();
    }
    warnOfSelfWait(spec);
    if (core.threadHolds().count(false) > 0) {
      request.passAllWhoWait(); // they wait for this very thread
    }
    core.submit(request);
    Hold hold = PendingAcquire.await(request, spec, core);
    if (hold == null) {
      return null;
    }
    hold.acquiredOnThread();
    return new LeaseHandle(core, hold);
  }

  private void warnOfSelfWait(AcquireSpec spec) {
    if (!spec.immediate()) {
      SelfWait.warn(core.resource(), core.handleOfCurrentThread(write));
    }
  }

  private void refuseWaitForSelf() {
    ThreadHolds threads = core.threadHolds();
    if (threads.count(true) > 0 || (write && threads.count(false) > 0)) {
      throw new IllegalStateException(
          ("read-write lock '%s': this thread holds it by lock(); acquire() makes a handle "
                  + "of its own and would wait for itself")
              .formatted(core.key()));
    }
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
    ReadWriteRequest request = new ReadWriteRequest(core, spec, Thread.currentThread());
    core.submit(request);
    return PendingAcquire.follow(request, spec, core);
  }

  @Override
  public void unlock() {
    ThreadHolds threads = core.threadHolds();
    loseIfOverdue(threads.holdOfCurrentThread(write));
    ReadWriteRequest ended = threads.exit(write, core.key());
    Hold hold = ended == null ? null : ended.hold();
    if (hold == null) {
      return;
    }
    ReadWriteRequest other = threads.requestOfCurrentThread(!write);
    Hold otherHold = other == null ? null : other.hold();
    boolean sameTenure = otherHold != null && otherHold.tenure == hold.tenure;
    if (write && sameTenure && other != null) {
      await(hold, core.downgrade(hold, other));
    } else if (!sameTenure) {
      await(hold, core.release(hold));
    } else {
      hold.finish(); // a read inside the own write hold ends; the write hold stays
    }
  }

  private void await(Hold ended, CompletableFuture<@Nullable Void> answer) {
    if (!ended.spec.config().pipelinedRelease()) {
      Awaits.await(core.context().backend(), answer);
    }
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return validHold() != null;
  }

  @Override
  public boolean isDegraded() {
    Hold hold = core.threadHolds().holdOfCurrentThread(write);
    return hold != null && hold.tenure.isDegraded();
  }

  @Override
  public boolean isKnownToCurrentThread() {
    return core.threadHolds().isKnown(write);
  }

  private @Nullable Hold validHold() {
    Hold hold = core.threadHolds().holdOfCurrentThread(write);
    return hold != null && hold.isValid(core.context().now()) ? hold : null;
  }

  @Override
  public int holdCount() {
    return validHold() == null ? 0 : core.threadHolds().count(write);
  }

  @Override
  public long token() {
    Hold hold = validHold();
    if (hold == null) {
      throw new IllegalMonitorStateException(
          "the %s lock of '%s' is not held by thread '%s', so it has no token to give"
              .formatted(write ? "write" : "read", core.key(), Thread.currentThread().getName()));
    }
    return hold.token;
  }

  @Override
  public boolean isLocked() {
    String wanted = write ? "write" : "read";
    return validHold() != null
        || info().holders().stream().anyMatch(holder -> holder.claim().equals(wanted));
  }

  @Override
  public Duration remaining() {
    Hold hold = validHold();
    if (hold != null) {
      return Duration.ofNanos(hold.tenure.remainingNanos(core.context().now()));
    }
    return info().holder().map(LockInfo.Holder::remaining).orElse(Duration.ZERO);
  }

  @Override
  public LockInfo info() {
    return Inspection.combine(
        core.resource(),
        core.engine().queries().ask(core.resource(), backend -> backend.inspect(core.resource())),
        this::local,
        core.localWaiters());
  }

  private Inspection.@Nullable Local local(Owner owner) {
    Tenure tenure = core.engine().findTenure(owner);
    List<Hold> holds = tenure == null ? List.of() : core.holdsIn(tenure);
    if (holds.isEmpty()) {
      return null;
    }
    Hold first = holds.get(0);
    return new Inspection.Local(
        first.thread.getName(), first.token, core.threadHolds().entries(holds));
  }

  @Override
  public boolean forceUnlock() {
    Awaits.await(core.context().backend(), core.claimNoMoreThanNeeded());
    Holders meant = write ? Holders.WRITERS : Holders.READERS;
    return core.engine()
        .forcedRelease()
        .run(
            core.resource(),
            tenure -> meant.include(tenure.claim().amount()),
            backend -> backend.forceRelease(core.resource(), meant));
  }

  @Override
  public void addLossListener(Consumer<? super LockLoss> listener) {
    core.listeners().add(listener);
  }

  @Override
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    core.listeners().remove(listener);
  }

  @Override
  public void addReturnListener(Consumer<? super Finding> listener) {
    core.listeners().addForReturns(listener);
  }

  @Override
  public void removeReturnListener(Consumer<? super Finding> listener) {
    core.listeners().removeForReturns(listener);
  }
}
