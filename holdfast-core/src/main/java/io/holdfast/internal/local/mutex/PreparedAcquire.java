package io.holdfast.internal.local.mutex;

import io.holdfast.internal.engine.Acquisition;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.AcquireSpec;
import io.holdfast.internal.lease.Hold;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way to the store of the thread that comes next, begun by the one that leaves. A fair lock
 * that other processes wait for goes to one of them at each release, and the next thread of this
 * process joins their queue. Both requests leave together, which spares the store and this process
 * a packet each, and the next thread a wait for the answer that it has to wait.
 *
 * <pre>
 *   apart      T1: release --------> answer        T2: (woken) join --> busy ... granted
 *   together   T1: join for T2, release --> both answers
 *              T2: (woken) takes over what is under way                      ... granted
 * </pre>
 *
 * <p>What is under way belongs to the one inside the gate, like a tenure that was left for a
 * waiter, and is cleared like one if that waiter has gone away: see {@link LocalMutex}.
 */
final class PreparedAcquire {
  private final LocalMutex lock;
  private final LockEngine engine;
  private final Context context;
  private volatile @Nullable Acquisition underWay;

  PreparedAcquire(LocalMutex lock, LockEngine engine) {
    this.lock = lock;
    this.engine = engine;
    this.context = engine.context();
  }

  /** True if something is under way that nobody has taken over yet. */
  boolean isThere() {
    return underWay != null;
  }

  /**
   * Inside the gate: sets out for a thread that waits there, as the one that leaves had done.
   *
   * @return null if it cannot be known what that thread wants
   */
  @Nullable Acquisition prepare(Hold ending) {
    AcquireSpec spec = ending.spec;
    Thread next = lock.gate().nextThread();
    Long cameAt = lock.arrivalOfNext();
    boolean alike = spec.threadOwned() && !spec.immediate() && spec.renew();
    if (next == null
        || cameAt == null
        || !alike
        || !spec.policy().allowsTryAfter(Integer.MAX_VALUE)) {
      return null;
    }
    Acquisition prepared =
        new Acquisition(
            engine, lock, context.newOwner(), spec.waitingFor(AcquireSpec.FOREVER), next, cameAt);
    prepared.markPrepared();
    underWay = prepared;
    return prepared;
  }

  /** Inside the gate: what is under way, if it is what this one wants; else it is given up. */
  @Nullable Acquisition takeOver(AcquireSpec spec, Thread thread, long arrivedAt) {
    Acquisition prepared = underWay;
    if (prepared == null) {
      return null;
    }
    if (!suits(spec, prepared.spec()) || prepared.isUnusable()) {
      clear();
      return null;
    }
    underWay = null;
    prepared.reassignTo(thread, arrivedAt);
    return prepared;
  }

  private static boolean suits(AcquireSpec spec, AcquireSpec meant) {
    return !spec.immediate()
        && spec.renew()
        && spec.lease().equals(meant.lease())
        && Objects.equals(spec.config(), meant.config()); // mostly the very same
  }

  /** Inside the gate: gives up what is under way, because nobody came for it. */
  void clear() {
    Acquisition unused = underWay;
    underWay = null;
    if (unused != null) {
      engine.giveUp(unused);
    }
  }
}
