package io.holdfast.internal.local.multi;

import io.holdfast.Lease;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.local.mutex.LocalMutex;
import io.holdfast.internal.local.request.LeaseHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Several locks in one step: all gates are entered without waiting, in the order of the keys, and
 * one command asks for all. Where a gate is taken, a tenure is there already, the store cannot do
 * it or one lock is busy, nothing was changed and the locks are taken one after the other instead.
 */
final class AtomicMultiAcquire {
  private final List<LocalMutex> locks;
  private final LockEngine engine;
  private final Context context;

  AtomicMultiAcquire(List<LocalMutex> locks, LockEngine engine) {
    this.locks = List.copyOf(locks);
    this.engine = engine;
    this.context = engine.context();
  }

  /** The holds in the order of the locks, or null. */
  CompletableFuture<@Nullable List<Hold>> attempt(AcquireSpec spec) {
    long startedAt = context.now();
    Thread thread = Thread.currentThread();
    List<Integer> entered = new ArrayList<>(locks.size());
    for (LocalMutex lock : locks) {
      int generation = context.isClosed() ? -1 : lock.tryEnterFresh(spec.threadOwned());
      if (generation < 0) {
        leave(entered);
        return CompletableFuture.completedFuture(null);
      }
      entered.add(generation);
    }
    CompletableFuture<@Nullable List<Tenure>> tenures;
    try {
      tenures = engine.multiRequests().attempt(locks, spec);
    } catch (RuntimeException | Error e) {
      leave(entered);
      throw e;
    }
    return tenures.thenApply(
        granted -> {
          if (granted == null) {
            leave(entered);
            return null;
          }
          List<Hold> holds = new ArrayList<>(locks.size());
          for (int i = 0; i < locks.size(); i++) {
            holds.add(locks.get(i).begin(granted.get(i), spec, entered.get(i), startedAt, thread));
          }
          return holds;
        });
  }

  private void leave(List<Integer> entered) {
    for (int i = entered.size() - 1; i >= 0; i--) {
      locks.get(i).exitWithoutHold(entered.get(i));
    }
  }

  /** The holds as one lease. */
  Lease lease(List<Hold> holds) {
    List<Lease> leases = new ArrayList<>(holds.size());
    for (int i = 0; i < holds.size(); i++) {
      leases.add(new LeaseHandle(locks.get(i), holds.get(i)));
    }
    return new MultiLease(leases, context);
  }
}
