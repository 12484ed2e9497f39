package io.holdfast.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a {@link GatedLock} needs only when something special happens to it: a loss, a listener, an
 * alert for long waits, a stay without a holder, a successor who is under way. Apart, since most
 * locks never need it and a process may have many of them.
 */
final class LockExtras {
  final LostHolds lostHolds = new LostHolds();
  final HolderListeners listeners;
  final Lingering lingering;
  final Successor successor;

  /** Since when threads wait, where somebody wants an alert or strict order. */
  final Map<Thread, Long> waits = new ConcurrentHashMap<>();

  LockExtras(GatedLock lock, LockEngine engine) {
    this.listeners = new HolderListeners(lock, engine);
    this.lingering = new Lingering(engine, lock);
    this.successor = new Successor(lock, engine);
  }
}
