package io.holdfast.internal.local.shared;

import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Tenure;
import io.holdfast.internal.local.gate.GateState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which thread has entered a read-write lock how often, on either side. Threads that hold nothing
 * are not here; threads that lost something are remembered, weakly, for their next unlock.
 */
final class ThreadHolds {
  private static final int MOST = GateState.MAX_HOLDS;

  /** One side of one thread: its request and how often it has entered. */
  private static final class Side {
    final ReadWriteRequest request;
    int count = 1;

    Side(ReadWriteRequest request) {
      this.request = request;
    }

    @Nullable Hold hold() {
      return request.hold();
    }
  }

  private record Key(Thread thread, boolean write) {}

  private record Lost(LockLoss loss, int unlocksToCome) {}

  // Guarded by this.
  private final Map<Key, Side> sides = new HashMap<>();
  private final Map<Thread, @Nullable Lost[]> losses = new WeakHashMap<>();

  /** The current thread has a hold on this side from now on. */
  synchronized void entered(boolean write, ReadWriteRequest request) {
    Hold hold = request.hold();
    LockLoss loss = hold == null ? null : hold.loss();
    if (loss != null) {
      remember(Thread.currentThread(), write, new Lost(loss, 1)); // before it could be noted here
    } else {
      sides.put(new Key(Thread.currentThread(), write), new Side(request));
    }
  }

  private void remember(Thread thread, boolean write, Lost lost) {
    losses.computeIfAbsent(thread, each -> new Lost[2])[write ? 1 : 0] = lost;
  }

  /** Enters once more if the current thread is in already. */
  synchronized boolean reenter(boolean write) {
    Side side = sides.get(new Key(Thread.currentThread(), write));
    if (side == null) {
      return false;
    }
    if (side.count == MOST) {
      throw new Error("Maximum lock count exceeded: a thread may enter at most 255 times");
    }
    side.count++;
    return true;
  }

  /** The request behind the current thread's hold on this side, or null. */
  synchronized @Nullable ReadWriteRequest requestOfCurrentThread(boolean write) {
    Side side = sides.get(new Key(Thread.currentThread(), write));
    return side == null ? null : side.request;
  }

  /** The current thread's hold on this side, or null. */
  @Nullable Hold holdOfCurrentThread(boolean write) {
    ReadWriteRequest request = requestOfCurrentThread(write);
    return request == null ? null : request.hold();
  }

  /**
   * True if the current thread is in, or has lost its place and has not heard of it by an unlock.
   */
  synchronized boolean isKnown(boolean write) {
    Thread thread = Thread.currentThread();
    @Nullable Lost[] both = losses.get(thread);
    return sides.containsKey(new Key(thread, write))
        || (both != null && both[write ? 1 : 0] != null);
  }

  synchronized int count(boolean write) {
    Side side = sides.get(new Key(Thread.currentThread(), write));
    return side == null ? 0 : side.count;
  }

  /** How often these holds have been entered in all; a handle counts once. */
  synchronized int entries(List<Hold> holds) {
    int entries = holds.size();
    for (Side side : sides.values()) {
      Hold hold = side.hold();
      entries += hold != null && holds.contains(hold) ? side.count - 1 : 0;
    }
    return entries;
  }

  /** Leaves once; the request if that was the last time, null if not. */
  synchronized @Nullable ReadWriteRequest exit(boolean write, String key) {
    Key own = new Key(Thread.currentThread(), write);
    Side side = sides.get(own);
    if (side == null) {
      throw explain(own, key);
    }
    if (--side.count > 0) {
      return null;
    }
    sides.remove(own);
    return side.request;
  }

  private IllegalMonitorStateException explain(Key own, String key) {
    @Nullable Lost[] both = losses.get(own.thread());
    int side = own.write() ? 1 : 0;
    Lost lost = both == null ? null : both[side];
    if (both != null && lost != null) {
      both[side] =
          lost.unlocksToCome() > 1 ? new Lost(lost.loss(), lost.unlocksToCome() - 1) : null;
      return new LockLostException(lost.loss());
    }
    return new IllegalMonitorStateException(
        "the %s lock of '%s' is not held by thread '%s'"
            .formatted(own.write() ? "write" : "read", key, own.thread().getName()));
  }

  /** A hold was lost: its thread is out, and will hear of it when it unlocks. */
  synchronized void lost(Hold hold, LockLoss loss) {
    if (!hold.spec.threadOwned()) {
      return;
    }
    for (boolean write : new boolean[] {false, true}) {
      Side side = sides.get(new Key(hold.thread, write));
      if (side != null && side.hold() == hold) {
        sides.remove(new Key(hold.thread, write));
        remember(hold.thread, write, new Lost(loss, side.count));
      }
    }
  }

  /** The thread of a hold has ended. */
  synchronized void forget(Hold hold) {
    sides.values().removeIf(side -> side.hold() == hold);
  }

  /** Read holds of threads in this tenure, also those inside their own write hold. */
  synchronized List<Hold> readsIn(Tenure tenure) {
    List<Hold> holds = new ArrayList<>();
    sides.forEach(
        (key, side) -> {
          Hold hold = side.hold();
          if (!key.write() && hold != null && hold.tenure == tenure) {
            holds.add(hold);
          }
        });
    return holds;
  }
}
