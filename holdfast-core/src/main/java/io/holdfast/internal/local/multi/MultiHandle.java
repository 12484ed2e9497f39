package io.holdfast.internal.local.multi;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockLoss;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.local.mutex.LocalMutex;
import io.holdfast.internal.local.request.LeaseHandle;
import io.holdfast.internal.local.request.LockHandle;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one. They are taken one after the other in the order of their keys, so that two
 * callers with overlapping keys never wait for each other, and those that were taken are given back
 * when one cannot be had. Nothing is kept here: the parts are ordinary locks.
 */
public final class MultiHandle implements LockHandle {
  private static final String KIND = "multi-lock";

  private final List<LocalMutex> locks;
  private final List<LockHandle> parts;
  private final AtomicMultiAcquire allAtOnce;
  private final LockEngine engine;
  private final Context context;
  private final List<Consumer<? super LockLoss>> lossListeners = new CopyOnWriteArrayList<>();

  /**
   * @param locks the locks, in the order of their keys
   */
  public MultiHandle(List<LocalMutex> locks, LockEngine engine) {
    this.locks = List.copyOf(locks);
    this.parts = List.copyOf(locks);
    this.allAtOnce = new AtomicMultiAcquire(this.locks, engine);
    this.engine = engine;
    this.context = engine.context();
  }

  List<LockHandle> parts() {
    return parts;
  }

  private void requireOpen() {
    context.requireOpen(KIND, keys());
  }

  private String keys() {
    return String.join(" + ", locks.stream().map(LocalMutex::key).toList());
  }

  /** The name in messages. */
  @Override
  public String toString() {
    return KIND + " '" + keys() + "'";
  }

  LockTimeoutException timeout(String why) {
    return new LockTimeoutException(KIND, keys(), this + " " + why);
  }

  AtomicMultiAcquire allAtOnce() {
    return allAtOnce;
  }

  LockEngine engine() {
    return engine;
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public @Nullable String selfWait() {
    return parts.stream()
        .map(LockHandle::selfWait)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  @Override
  public Claim claim() {
    return Claim.EXCLUSIVE;
  }

  @Override
  public boolean hasOneKey() {
    return false;
  }

  // ---- for the calling thread

  @Override
  public boolean lock(AcquireSpec spec) throws InterruptedException {
    requireOpen();
    long startedAt = context.now();
    List<Hold> atOnce = Awaits.await(context.backend(), allAtOnce.attempt(spec));
    if (atOnce != null) {
      bindTogether(atOnce);
      return true;
    }
    do {
      if (!lockOneByOne(spec, startedAt)) {
        return false;
      }
    } while (!isHeldByCurrentThread() && undo()); // the first may have ended before the last came
    bindTogether(
        locks.stream()
            .filter(lock -> lock.gate().holds() <= 1) // not what the thread had before
            .map(LocalMutex::holdOfCurrentThread) // null if it was lost just now
            .toList());
    return true;
  }

  private boolean undo() {
    unlockQuietly(locks.size());
    return true;
  }

  private boolean lockOneByOne(AcquireSpec spec, long startedAt) throws InterruptedException {
    int taken = 0;
    boolean all = false;
    try {
      for (LockHandle part : parts) {
        if (!part.lock(remaining(spec, startedAt))) {
          return false;
        }
        taken++;
      }
      all = true;
      return true;
    } finally {
      if (!all) {
        unlockQuietly(taken);
      }
    }
  }

  /** Back to the state before; what was lost meanwhile is not there to be given back. */
  private void unlockQuietly(int taken) {
    Awaits.await(context.backend(), unlockFrom(taken).exceptionally(lost -> null));
  }

  /**
   * The loss of one is the loss of all: the others would be held, and renewed, for nothing. It is
   * told once.
   */
  void bindTogether(List<? extends @Nullable Hold> holds) {
    AtomicBoolean told = new AtomicBoolean();
    Consumer<LockLoss> onLoss =
        loss -> {
          loseAll(holds);
          if (told.compareAndSet(false, true)) {
            lossListeners.forEach(
                listener -> context.newsLane().execute(() -> listener.accept(loss)));
          }
        };
    for (Hold hold : holds) {
      LockLoss loss = hold == null ? null : hold.addLossCallback(onLoss);
      if (loss != null) {
        onLoss.accept(loss);
      } else if (hold == null || !hold.isActive()) {
        loseAll(holds);
      }
    }
  }

  private void loseAll(List<? extends @Nullable Hold> holds) {
    for (Hold hold : holds) {
      if (hold != null && hold.isActive()) {
        engine.losePart(hold.tenure);
      }
    }
  }

  @Override
  public void unlock() {
    for (LockHandle part : parts) {
      if (!part.isKnownToCurrentThread()) {
        part.unlock(); // says who holds it; nothing was changed so far
      }
    }
    Awaits.await(context.backend(), unlockFrom(locks.size()));
  }

  /** Unlocks the first so many of them, the last one first; what the caller is to wait for. */
  private CompletableFuture<Void> unlockFrom(int end) {
    List<CompletableFuture<@Nullable Void>> answers = new ArrayList<>(end);
    for (int i = end - 1; i >= 0; i--) {
      answers.add(unlockPart(locks.get(i)));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
  }

  private static CompletableFuture<@Nullable Void> unlockPart(LocalMutex lock) {
    boolean awaited = lock.isReleaseAwaited();
    try {
      CompletableFuture<@Nullable Void> answer = lock.unlockAsync(false);
      return awaited ? answer : CompletableFuture.completedFuture(null);
    } catch (IllegalMonitorStateException e) { // lost: the others are to be unlocked all the same
      return CompletableFuture.failedFuture(e);
    }
  }

  // ---- for a handle

  @Override
  public @Nullable Lease acquire(AcquireSpec spec) throws InterruptedException {
    requireOpen();
    List<Hold> holds = Awaits.await(context.backend(), allAtOnce.attempt(spec));
    if (holds != null) {
      holds.forEach(Hold::acquiredOnThread);
      bindTogether(holds);
      return allAtOnce.lease(holds);
    }
    long startedAt = context.now();
    while (true) {
      Lease lease = acquireOneByOne(spec, startedAt);
      if (lease == null || lease.isValid()) {
        return lease;
      }
      lease.closeAsync(); // the first may have ended before the last came
    }
  }

  private @Nullable Lease acquireOneByOne(AcquireSpec spec, long startedAt)
      throws InterruptedException {
    List<Lease> taken = new ArrayList<>(parts.size());
    boolean all = false;
    try {
      for (LockHandle part : parts) {
        Lease lease = part.acquire(remaining(spec, startedAt));
        if (lease == null) {
          return null;
        }
        taken.add(lease);
      }
      all = true;
      return bound(taken);
    } finally {
      if (!all) {
        giveBack(taken);
      }
    }
  }

  MultiLease bound(List<Lease> leases) {
    List<Hold> holds = new ArrayList<>(leases.size());
    for (Lease lease : leases) {
      if (lease instanceof LeaseHandle handle) {
        holds.add(handle.hold());
      }
    }
    bindTogether(holds);
    return new MultiLease(leases, context);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(AcquireSpec spec) {
    requireOpen();
    return new MultiAsyncAcquire(this, spec).start();
  }

  static void giveBack(List<Lease> taken) {
    for (int i = taken.size() - 1; i >= 0; i--) {
      taken.get(i).closeAsync(); // a part that was lost meanwhile is nobody's concern any more
    }
  }

  /** The same demand with what is left of its time. */
  private AcquireSpec remaining(AcquireSpec spec, long startedAt) {
    return spec.immediate() || spec.waitNanos() == AcquireSpec.FOREVER
        ? spec
        : spec.waitingFor(Math.max(1, spec.waitNanos() - (context.now() - startedAt)));
  }

  // ---- questions

  @Override
  public boolean isDegraded() {
    return parts.stream().anyMatch(LockHandle::isDegraded);
  }

  @Override
  public boolean isKnownToCurrentThread() {
    return parts.stream().allMatch(LockHandle::isKnownToCurrentThread);
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return parts.stream().allMatch(LockHandle::isHeldByCurrentThread);
  }

  @Override
  public int holdCount() {
    return parts.stream().mapToInt(LockHandle::holdCount).min().orElse(0);
  }

  @Override
  public long token() {
    return parts.stream().mapToLong(LockHandle::token).max().orElse(0);
  }

  @Override
  public boolean isLocked() {
    return parts.stream().anyMatch(LockHandle::isLocked);
  }

  @Override
  public Duration remaining() {
    return parts.stream().map(LockHandle::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
  }

  @Override
  public LockInfo info() {
    List<LockInfo> infos = parts.stream().map(LockHandle::info).toList();
    return new LockInfo(
        KIND,
        keys(),
        infos.stream().flatMap(info -> info.holders().stream()).toList(),
        infos.stream().flatMap(info -> info.waiters().stream()).toList(),
        infos.stream().mapToInt(LockInfo::localWaiters).sum());
  }

  @Override
  public boolean forceUnlock() {
    boolean any = false;
    for (LockHandle part : parts) {
      any |= part.forceUnlock();
    }
    return any;
  }

  @Override
  public void addLossListener(Consumer<? super LockLoss> listener) {
    lossListeners.add(listener);
  }

  @Override
  public void removeLossListener(Consumer<? super LockLoss> listener) {
    lossListeners.remove(listener);
  }

  @Override
  public void addReturnListener(Consumer<? super Finding> listener) {
    parts.forEach(part -> part.addReturnListener(listener));
  }

  @Override
  public void removeReturnListener(Consumer<? super Finding> listener) {
    parts.forEach(part -> part.removeReturnListener(listener));
  }
}
