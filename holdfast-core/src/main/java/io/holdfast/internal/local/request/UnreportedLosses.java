package io.holdfast.internal.local.request;

import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import io.holdfast.internal.lease.Hold;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which threads lost the lock and have not been told by an {@code unlock()} yet. A lost
 * lock is opened for others at once, so its thread does not own the gate any more when it comes to
 * unlock; it shall hear that the lock was lost, once for each of its {@code unlock()} calls, and
 * not that it never had it. Threads that never ask are forgotten with the thread.
 */
public final class UnreportedLosses {
  private record Lost(LockLoss loss, int unlocksToCome) {}

  /** Guarded by this. */
  private @Nullable Map<Thread, Lost> losses;

  /** Ends a hold as lost and notes it in one step: its callbacks, or null if its owner ended it. */
  public synchronized @Nullable List<Consumer<? super LockLoss>> loseAndRemember(
      Hold hold, LockLoss loss, int holds) {
    List<Consumer<? super LockLoss>> callbacks = hold.lose(loss);
    if (callbacks != null && hold.spec.threadOwned()) {
      if (losses == null) {
        losses = new WeakHashMap<>();
      }
      losses.put(hold.thread, new Lost(loss, Math.max(1, holds)));
    }
    return callbacks;
  }

  /** The hold's own unlock has reported the loss. */
  public synchronized void forget(Hold hold) {
    if (hold.spec.threadOwned()) {
      take(hold.thread);
    }
  }

  /** True if the thread has lost the lock and has not heard of it by an unlock. */
  public synchronized boolean isKnown(Thread thread) {
    return losses != null && losses.containsKey(thread);
  }

  /** What to throw at a thread that unlocks a lock it does not own. */
  public IllegalMonitorStateException explain(Thread thread, String key, @Nullable Hold current) {
    LockLoss loss = take(thread);
    if (loss != null) {
      return new LockLostException(loss);
    }
    String holder =
        current == null
            ? "no thread of this process holds it"
            : "it is held by "
                + (current.spec.threadOwned() ? "thread '" : "a handle made by thread '")
                + current.thread.getName()
                + "' with token "
                + current.token;
    return new IllegalMonitorStateException(
        "lock '%s' cannot be unlocked by thread '%s': %s".formatted(key, thread.getName(), holder));
  }

  private synchronized @Nullable LockLoss take(Thread thread) {
    Lost lost = losses == null ? null : losses.remove(thread);
    if (lost == null) {
      return null;
    }
    if (lost.unlocksToCome() > 1 && losses != null) {
      losses.put(thread, new Lost(lost.loss(), lost.unlocksToCome() - 1));
    }
    return lost.loss();
  }
}
