package io.holdfast.internal.local.gate;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * A gate built like {@link LocalGate}, with one mistake of choice. The suites must find each of
 * them, and none when there is none.
 */
final class SeededGate implements GateUnderTest {
  enum Bug {
    NONE,
    /** Two may see the gate free and both walk in. */
    ENTRY_CHECKS_THEN_SETS,
    /** A callback that waits is not looked at when the gate opens. */
    EXIT_FORGETS_CALLBACKS,
    /** A thread that was woken, and gives up instead, does not pass the wake-up on. */
    GIVING_UP_FORGETS_CALLBACKS,
    /** A callback may be cancelled and called. */
    CANCEL_AFTER_THE_CALL,
    /** Whoever left long ago puts out the one who is inside now. */
    EXIT_IGNORES_GENERATION,
    /** Who leaves too late removes the name of the one who is inside now. */
    EXIT_DISOWNS_BEFORE_IT_LEAVES,
    /** An owner that is being put out writes over the state of its successor. */
    REENTRY_CHECKS_THEN_SETS
  }

  private final Bug bug;
  private final Sync sync;
  private final Queue<Entry> callbacks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger serving = new AtomicInteger();
  private volatile boolean threadsTurn;

  SeededGate(Bug bug) {
    this.bug = bug;
    this.sync = new Sync(bug);
  }

  @Override
  public int enter(boolean fair) {
    sync.acquire(fair ? Sync.FAIR : Sync.BARGING);
    return sync.generation();
  }

  @Override
  public int enter(long nanos) throws InterruptedException {
    boolean entered = false;
    try {
      entered = sync.tryAcquireNanos(Sync.BARGING, nanos);
    } finally {
      gaveUpUnless(entered);
    }
    return entered ? sync.generation() : -1;
  }

  @Override
  public int enterInterruptibly() throws InterruptedException {
    boolean entered = false;
    try {
      sync.acquireInterruptibly(Sync.BARGING);
      entered = true;
    } finally {
      gaveUpUnless(entered);
    }
    return sync.generation();
  }

  private void gaveUpUnless(boolean entered) {
    if (!entered && bug != Bug.GIVING_UP_FORGETS_CALLBACKS) {
      serveCallback();
    }
  }

  @Override
  public int tryEnter() {
    return sync.tryAcquire(Sync.BARGING) ? sync.generation() : -1;
  }

  @Override
  public BooleanSupplier enterAsync(IntConsumer inside) {
    Entry entry = new Entry(inside, new AtomicBoolean());
    callbacks.add(entry);
    serveCallback();
    return () -> cancel(entry);
  }

  private boolean cancel(Entry entry) {
    boolean cancelled =
        bug == Bug.CANCEL_AFTER_THE_CALL
            ? callbacks.contains(entry)
            : entry.claimed.compareAndSet(false, true);
    callbacks.remove(entry);
    return cancelled;
  }

  @Override
  public boolean reenter() {
    return sync.reenter();
  }

  @Override
  public boolean exitNested() {
    return sync.exitNested();
  }

  @Override
  public void exit(int generation) {
    if (sync.release(generation) && bug != Bug.EXIT_FORGETS_CALLBACKS) {
      serveCallback();
    }
  }

  @Override
  public boolean isEnteredByCurrentThread() {
    return sync.isHeldExclusively();
  }

  @Override
  public int holds() {
    return sync.holds();
  }

  @Override
  public boolean hasWaiters() {
    return sync.hasQueuedThreads() || !callbacks.isEmpty();
  }

  private void serveCallback() {
    if (callbacks.isEmpty() || serving.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      letOneCallbackIn();
      seen = serving.addAndGet(-seen);
    } while (seen != 0);
  }

  private void letOneCallbackIn() {
    while (!callbacks.isEmpty()) {
      if (threadsTurn && sync.hasQueuedThreads()) {
        threadsTurn = false;
        return;
      }
      if (!sync.tryAcquire(Sync.CALLBACK)) {
        return;
      }
      int generation = sync.generation();
      Entry entry = callbacks.poll();
      if (entry != null && entry.claimed.compareAndSet(false, true)) {
        threadsTurn = true;
        entry.inside.accept(generation);
        return;
      }
      sync.release(generation);
    }
  }

  private record Entry(IntConsumer inside, AtomicBoolean claimed) {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  private static final class Sync extends AbstractQueuedSynchronizer {
    private static final long serialVersionUID = 1L;
    static final int BARGING = 0;
    static final int FAIR = 1;
    static final int CALLBACK = 2;

    private final Bug bug;

    Sync(Bug bug) {
      this.bug = bug;
    }

    @Override
    protected boolean tryAcquire(int mode) {
      int state = getState();
      if (!GateState.isFree(state) || (mode == FAIR && hasQueuedPredecessors())) {
        return false;
      }
      if (bug == Bug.ENTRY_CHECKS_THEN_SETS) {
        setState(GateState.enteredFrom(state));
      } else if (!compareAndSetState(state, GateState.enteredFrom(state))) {
        return false;
      }
      setExclusiveOwnerThread(mode == CALLBACK ? null : Thread.currentThread());
      return true;
    }

    @Override
    protected boolean tryRelease(int generation) {
      while (true) {
        int state = getState();
        boolean mine =
            bug == Bug.EXIT_IGNORES_GENERATION || GateState.generation(state) == generation;
        if (!GateState.isLocked(state) || !mine) {
          return false;
        }
        if (bug == Bug.EXIT_DISOWNS_BEFORE_IT_LEAVES) {
          setExclusiveOwnerThread(null);
        }
        int leaving = GateState.leavingFrom(state);
        if (compareAndSetState(state, leaving)) {
          setExclusiveOwnerThread(null);
          setState(GateState.leftFrom(leaving));
          return true;
        }
      }
    }

    @Override
    protected boolean isHeldExclusively() {
      return GateState.isLocked(getState()) && getExclusiveOwnerThread() == Thread.currentThread();
    }

    boolean reenter() {
      while (true) {
        int state = getState();
        if (!GateState.isLocked(state) || getExclusiveOwnerThread() != Thread.currentThread()) {
          return false;
        }
        if (bug == Bug.REENTRY_CHECKS_THEN_SETS) {
          setState(state + GateState.ONE_HOLD);
          return true;
        }
        if (compareAndSetState(state, state + GateState.ONE_HOLD)) {
          return true;
        }
      }
    }

    boolean exitNested() {
      while (true) {
        int state = getState();
        if (GateState.holds(state) < 2 || getExclusiveOwnerThread() != Thread.currentThread()) {
          return false;
        }
        if (compareAndSetState(state, state - GateState.ONE_HOLD)) {
          return true;
        }
      }
    }

    int generation() {
      return GateState.generation(getState());
    }

    int holds() {
      return GateState.holds(getState());
    }
  }
}
