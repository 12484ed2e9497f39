package io.holdfast.internal.local.gate;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread of this process may deal with a lock. Threads queue here, in the only class
 * built on {@link AbstractQueuedSynchronizer}; callers that must not block queue beside them with a
 * callback. Whoever is inside owns the tenure of the key, whether it is held or still asked for.
 *
 * <pre>
 *   enter()  --> [AQS queue of threads] --+
 *                                         +--> inside (one generation) --> exit()
 *   enterAsync() --> [queue of callbacks]-+         |
 *                                                   +-- evicted when the lock is lost
 * </pre>
 *
 * <p>An entry is known by its <em>generation</em>. It is left by {@link #exit} with that number,
 * from whichever thread, exactly once: by the owner or, when the lock is lost, by the one who tells
 * it. {@code Hold} decides between the two. A thread that owns the gate may enter again ({@link
 * #reenter}) up to 255 times; a handle's entry has no owner thread and cannot be entered again.
 *
 * <p>Threads are served as by {@code ReentrantLock}: in order if they ask for it, else with
 * barging. Callbacks are served in order, and take turns with the threads when both wait.
 *
 * <p>It is the synchronizer itself and not in front of one, and makes {@link GateCallbacks} only
 * when they are needed: a process may have a million locks that nobody uses at the moment. The
 * hooks of the synchronizer only look at and change the state word, {@link GateState}.
 */
public final class LocalGate extends AbstractQueuedSynchronizer {
  private static final long serialVersionUID = 1L;
  private static final int FAIR = 1;
  private static final int THREAD_OWNED = 2;

  /** Null until the first callback comes. */
  private transient volatile @Nullable GateCallbacks callbacks;

  /** A gate that nobody is inside of. */
  public LocalGate() {}

  /** Enters if it can be done without waiting, and without overtaking if fair; -1 if not. */
  public int enterAtOnce(boolean fair, boolean threadOwned) {
    if (!tryAcquire(mode(fair, threadOwned))) {
      return -1;
    }
    threadEntered();
    return currentGeneration();
  }

  /** Waits until inside. */
  public int enter(boolean fair, boolean threadOwned) {
    acquire(mode(fair, threadOwned));
    threadEntered();
    return currentGeneration();
  }

  /** Waits until inside, for as long as the time allows; -1 if it did not. */
  public int enter(boolean fair, boolean threadOwned, long nanos) throws InterruptedException {
    boolean entered = false;
    try {
      entered = tryAcquireNanos(mode(fair, threadOwned), nanos);
    } finally {
      if (!entered) {
        serveCallback();
      }
    }
    if (entered) {
      threadEntered();
    }
    return entered ? currentGeneration() : -1;
  }

  /** Waits until inside or interrupted. */
  public int enterInterruptibly(boolean fair, boolean threadOwned) throws InterruptedException {
    boolean entered = false;
    try {
      acquireInterruptibly(mode(fair, threadOwned));
      threadEntered();
      entered = true;
    } finally {
      if (!entered) {
        serveCallback();
      }
    }
    return currentGeneration();
  }

  private void threadEntered() {
    GateCallbacks present = callbacks;
    if (present != null) {
      present.threadEntered();
    }
  }

  /** Enters if nobody is inside, whoever waits; -1 if not. */
  public int tryEnter(boolean threadOwned) {
    return tryAcquire(mode(false, threadOwned)) ? currentGeneration() : -1;
  }

  /**
   * Calls back with the generation once inside: at once on this thread, or later on the thread that
   * leaves.
   */
  AsyncEntry enterAsync(IntConsumer inside) {
    return enterAsync(inside, () -> {});
  }

  /**
   * The same with something to do after callbacks were looked for, when the gate may have been left
   * free by one that was cancelled. It must be the same for all callbacks of a gate.
   */
  public AsyncEntry enterAsync(IntConsumer inside, Runnable afterServing) {
    AsyncEntry entry = new AsyncEntry(inside);
    callbacks(afterServing).add(entry);
    serveCallback();
    return entry;
  }

  private synchronized GateCallbacks callbacks(Runnable afterServing) {
    GateCallbacks present = callbacks;
    if (present == null) {
      present = new GateCallbacks(this, afterServing);
      callbacks = present;
    }
    return present;
  }

  /**
   * Enters once more if the current thread is inside.
   *
   * @throws Error when it has entered 255 times
   */
  public boolean reenter() {
    while (true) {
      int state = getState();
      if (!GateState.isLocked(state) || getExclusiveOwnerThread() != Thread.currentThread()) {
        return false;
      }
      if (GateState.holds(state) == GateState.MAX_HOLDS) {
        throw new Error("Maximum lock count exceeded: a thread may enter at most 255 times");
      }
      if (compareAndSetState(state, state + GateState.ONE_HOLD)) {
        return true;
      }
    }
  }

  /** Leaves one of several entries of the current thread; false if there is only one. */
  public boolean exitNested() {
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

  /** Leaves altogether, whoever calls. Nothing happens if the generation is not inside. */
  public void exit(int generation) {
    if (release(generation)) {
      serveCallback();
    }
  }

  /** The owner thread, which is inside once, is about to leave and owns the gate no longer. */
  public void disown() {
    setExclusiveOwnerThread(null);
  }

  /** True if the current thread is inside and owns the gate itself. */
  public boolean isEnteredByCurrentThread() {
    return GateState.isLocked(getState()) && getExclusiveOwnerThread() == Thread.currentThread();
  }

  /** How often the one inside has entered; 0 if nobody is inside. */
  public int holds() {
    return GateState.holds(getState());
  }

  /** True if anybody of this process waits. */
  public boolean hasWaiters() {
    if (hasQueuedThreads()) {
      return true;
    }
    GateCallbacks present = callbacks;
    return present != null && !present.isEmpty();
  }

  /** The thread that comes next; null if there is none, or callbacks wait, too. */
  public @Nullable Thread nextThread() {
    GateCallbacks present = callbacks;
    return present != null && !present.isEmpty() ? null : getFirstQueuedThread();
  }

  /** The threads that wait, in no particular order. */
  public Collection<Thread> queuedThreads() {
    return getQueuedThreads();
  }

  /** About how many of this process wait. */
  public int waiters() {
    GateCallbacks present = callbacks;
    return getQueueLength() + (present == null ? 0 : present.size());
  }

  private void serveCallback() {
    GateCallbacks present = callbacks;
    if (present != null) {
      present.serve();
    }
  }

  private static int mode(boolean fair, boolean threadOwned) {
    return (fair ? FAIR : 0) | (threadOwned ? THREAD_OWNED : 0);
  }

  /** A callback that waits at the gate. */
  public final class AsyncEntry {
    private final IntConsumer inside;
    private final AtomicBoolean claimed = new AtomicBoolean();

    private AsyncEntry(IntConsumer inside) {
      this.inside = inside;
    }

    /** A callback that fails must not keep the gate. */
    void enter(int generation) {
      try {
        inside.accept(generation);
      } catch (RuntimeException | Error e) {
        exit(generation);
        throw e;
      }
    }

    boolean claim() {
      return claimed.compareAndSet(false, true);
    }

    /** Stops waiting; false if the callback was called, or is about to be. */
    public boolean cancel() {
      boolean cancelled = claim();
      GateCallbacks present = callbacks;
      if (cancelled && present != null) {
        present.remove(this);
      }
      return cancelled;
    }
  }

  // ---- the hooks

  @Override
  protected boolean tryAcquire(int mode) {
    while (true) {
      int state = getState();
      if (!GateState.isFree(state)) {
        return false;
      }
      if ((mode & FAIR) != 0 && hasQueuedPredecessors()) {
        return false;
      }
      if (compareAndSetState(state, GateState.enteredFrom(state))) {
        setExclusiveOwnerThread((mode & THREAD_OWNED) != 0 ? Thread.currentThread() : null);
        return true;
      }
    }
  }

  @Override
  protected boolean tryRelease(int generation) {
    while (true) {
      int state = getState();
      if (!GateState.isLocked(state) || GateState.generation(state) != generation) {
        return false;
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
    return isEnteredByCurrentThread();
  }

  boolean isFree() {
    return GateState.isFree(getState());
  }

  private int currentGeneration() {
    return GateState.generation(getState());
  }
}
