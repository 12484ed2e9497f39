package io.holdfast.internal.local.mutex;

import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.local.request.HolderListeners;
import io.holdfast.internal.local.request.UnreportedLosses;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a {@link LocalMutex} needs only when something special happens to it: a loss, a listener, an
 * alert for long waits, a stay without a holder, a successor who is under way. Apart, since most
 * locks never need it and a process may have many of them.
 */
final class RareState {
  final UnreportedLosses lostHolds = new UnreportedLosses();
  final HolderListeners listeners;
  final IdleRetention lingering;
  final PreparedAcquire successor;

  /** Since when threads wait, where somebody wants an alert or strict order. */
  final Map<Thread, Long> waits = new ConcurrentHashMap<>();

  RareState(LocalMutex lock, LockEngine engine) {
    this.listeners = new HolderListeners(lock, engine);
    this.lingering = new IdleRetention(engine, lock);
    this.successor = new PreparedAcquire(lock, engine);
  }
}
