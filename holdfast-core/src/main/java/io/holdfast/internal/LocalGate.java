package io.holdfast.internal;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * it. {@link Hold} decides between the two. A thread that owns the gate may enter again ({@link
 * #reenter}) up to 255 times; a handle's entry has no owner thread and cannot be entered again.
 *
 * <p>Threads are served as by {@code ReentrantLock}: in order if they ask for it, else with
 * barging. Callbacks are served in order, and take turns with the threads when both wait.
 */
public final class LocalGate {
  private static final Logger log = LoggerFactory.getLogger(LocalGate.class);

  private final Sync sync = new Sync();
  private final Queue<AsyncEntry> callbacks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger serving = new AtomicInteger();
  private final Runnable afterServing;
  private volatile boolean threadsTurn;

  /** A gate that nobody is inside of. */
  public LocalGate() {
    this(() -> {});
  }

  /**
   * The same with something to do after callbacks were looked for, when the gate may have been left
   * free by one that was cancelled.
   */
  LocalGate(Runnable afterServing) {
    this.afterServing = afterServing;
  }

  /** Waits until inside. */
  public int enter(boolean fair, boolean threadOwned) {
    sync.acquire(mode(fair, threadOwned));
    threadsTurn = false;
    return sync.currentGeneration();
  }

  /** Waits until inside, for as long as the time allows; -1 if it did not. */
  public int enter(boolean fair, boolean threadOwned, long nanos) throws InterruptedException {
    boolean entered = false;
    try {
      entered = sync.tryAcquireNanos(mode(fair, threadOwned), nanos);
    } finally {
      if (!entered) {
        serveCallback();
      }
    }
    if (entered) {
      threadsTurn = false;
    }
    return entered ? sync.currentGeneration() : -1;
  }

  /** Waits until inside or interrupted. */
  public int enterInterruptibly(boolean fair, boolean threadOwned) throws InterruptedException {
    boolean entered = false;
    try {
      sync.acquireInterruptibly(mode(fair, threadOwned));
      threadsTurn = false;
      entered = true;
    } finally {
      if (!entered) {
        serveCallback();
      }
    }
    return sync.currentGeneration();
  }

  /** Enters if nobody is inside, whoever waits; -1 if not. */
  public int tryEnter(boolean threadOwned) {
    return sync.tryAcquire(mode(false, threadOwned)) ? sync.currentGeneration() : -1;
  }

  /**
   * Calls back with the generation once inside: at once on this thread, or later on the thread that
   * leaves.
   */
  public AsyncEntry enterAsync(IntConsumer inside) {
    AsyncEntry entry = new AsyncEntry(inside);
    callbacks.add(entry);
    serveCallback();
    return entry;
  }

  /**
   * Enters once more if the current thread is inside.
   *
   * @throws Error when it has entered 255 times
   */
  public boolean reenter() {
    return sync.reenter();
  }

  /** Leaves one of several entries of the current thread; false if there is only one. */
  public boolean exitNested() {
    return sync.exitNested();
  }

  /** Leaves altogether, whoever calls. Nothing happens if the generation is not inside. */
  public void exit(int generation) {
    if (sync.release(generation)) {
      serveCallback();
    }
  }

  /** True if the current thread is inside and owns the gate itself. */
  public boolean isEnteredByCurrentThread() {
    return sync.isEnteredByCurrentThread();
  }

  /** How often the one inside has entered; 0 if nobody is inside. */
  public int holds() {
    return sync.holds();
  }

  /** True if anybody of this process waits. */
  public boolean hasWaiters() {
    return sync.hasQueuedThreads() || !callbacks.isEmpty();
  }

  /** The threads that wait, in no particular order. */
  Collection<Thread> queuedThreads() {
    return sync.getQueuedThreads();
  }

  /** About how many of this process wait. */
  public int waiters() {
    return sync.getQueueLength() + callbacks.size();
  }

  /**
   * Lets the first callback in if nobody is inside. Called after everything that may leave the gate
   * free with a callback waiting: an exit, a new callback, a thread that stopped waiting after it
   * was woken. One thread at a time does the work; a call that comes meanwhile, also from inside a
   * callback, makes that thread look once more.
   */
  private void serveCallback() {
    if (callbacks.isEmpty() || serving.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        letOneCallbackIn();
      } catch (RuntimeException | Error e) {
        log.error("a callback failed inside the gate", e);
      }
      seen = serving.addAndGet(-seen);
    } while (seen != 0);
    afterServing.run();
  }

  private void letOneCallbackIn() {
    while (!callbacks.isEmpty() && sync.isFree()) {
      if (threadsTurn && sync.hasQueuedThreads()) {
        return;
      }
      if (!sync.tryAcquire(mode(false, false))) {
        return;
      }
      int generation = sync.currentGeneration();
      AsyncEntry entry = callbacks.poll();
      if (entry != null && entry.claim()) {
        threadsTurn = true;
        entry.enter(generation);
        return;
      }
      sync.release(generation);
    }
  }

  private static int mode(boolean fair, boolean threadOwned) {
    return (fair ? Sync.FAIR : 0) | (threadOwned ? Sync.THREAD_OWNED : 0);
  }

  /** A callback that waits at the gate. */
  public final class AsyncEntry {
    private final IntConsumer inside;
    private final AtomicBoolean claimed = new AtomicBoolean();

    private AsyncEntry(IntConsumer inside) {
      this.inside = inside;
    }

    /** A callback that fails must not keep the gate. */
    private void enter(int generation) {
      try {
        inside.accept(generation);
      } catch (RuntimeException | Error e) {
        exit(generation);
        throw e;
      }
    }

    private boolean claim() {
      return claimed.compareAndSet(false, true);
    }

    /** Stops waiting; false if the callback was called, or is about to be. */
    public boolean cancel() {
      boolean cancelled = claim();
      if (cancelled) {
        callbacks.remove(this);
      }
      return cancelled;
    }
  }

  /** The queue. Its hooks only look at and change the state word. */
  private static final class Sync extends AbstractQueuedSynchronizer {
    private static final long serialVersionUID = 1L;
    static final int FAIR = 1;
    static final int THREAD_OWNED = 2;

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
        if (GateState.isFree(state) || GateState.generation(state) != generation) {
          return false;
        }
        setExclusiveOwnerThread(null);
        if (compareAndSetState(state, GateState.leftFrom(state))) {
          return true;
        }
      }
    }

    @Override
    protected boolean isHeldExclusively() {
      return isEnteredByCurrentThread();
    }

    boolean reenter() {
      while (true) {
        int state = getState();
        if (GateState.isFree(state) || getExclusiveOwnerThread() != Thread.currentThread()) {
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

    boolean isEnteredByCurrentThread() {
      return !GateState.isFree(getState()) && getExclusiveOwnerThread() == Thread.currentThread();
    }

    int currentGeneration() {
      return GateState.generation(getState());
    }

    int holds() {
      return GateState.holds(getState());
    }

    boolean isFree() {
      return GateState.isFree(getState());
    }
  }
}
