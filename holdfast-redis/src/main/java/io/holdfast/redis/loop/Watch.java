package io.holdfast.redis.loop;

import io.holdfast.redis.loop.WatchPolicy.Watcher;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which thread waits at the sockets of a {@link CallerLoop}: one at a time has the watch. By
 * default it is the loop thread. A thread of the application that waits for something (a caller)
 * takes the watch when it is free, and is then served without a wake-up of any other thread. The
 * loop thread serves callers that wait at the same time; they are parked.
 *
 * <pre>
 *            a caller calls again and again, alone            it has not called for a while,
 *   loop     -------------------------------------->   free   or a caller is parked
 *   thread   <-----------------------------------------------
 *      |                                                ^ |
 *      | a caller waits for long, alone         is done | | waits
 *      '---------------------------------------> the caller
 * </pre>
 *
 * While the watch is free nobody hears what comes. The loop thread looks now and then whether
 * callers still come, so a message, or an answer that nobody waits for, can be late by a
 * millisecond in a process whose threads have just been calling. {@link WatchPolicy} decides; this
 * class parks, wakes and hands the watch over.
 */
final class Watch implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Watch.class);
  private static final String FAULT = "fault at the connections to Redis; the loop goes on";
  private static final long FOREVER = TimeUnit.MINUTES.toNanos(1);
  private static final long LONG_AGO = TimeUnit.SECONDS.toNanos(1);
  private static final long AFTER_FAULT = TimeUnit.MILLISECONDS.toNanos(10);

  private final CallerLoop loop;
  private final Thread loopThread;
  private final AtomicReference<@Nullable Thread> watcher = new AtomicReference<>();
  private final AtomicReference<@Nullable Thread> nextWatcher = new AtomicReference<>();
  private final AtomicInteger parkedCallers = new AtomicInteger();

  /** Set by the next watcher that wants the watch of the loop thread. */
  private final AtomicBoolean asked = new AtomicBoolean();

  /** How often callers have had the watch. */
  private final AtomicLong watches = new AtomicLong();

  private volatile boolean called;
  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile int soloCalls;
  private volatile long lastCall;

  Watch(CallerLoop loop, String name) {
    this.loop = loop;
    this.loopThread = new FastThreadLocalThread(this, name);
    loopThread.setDaemon(true);
  }

  void start() {
    lastCall = System.nanoTime() - LONG_AGO;
    loopThread.start();
  }

  private Watcher watcher() {
    Thread thread = watcher.get();
    if (thread == null) {
      return Watcher.NOBODY;
    }
    return thread == loopThread ? Watcher.LOOP_THREAD : Watcher.CALLER;
  }

  // ---- callers

  /** Waits until the future is complete or the time is over; may end sooner. */
  void await(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    Thread self = Thread.currentThread();
    if (awaited.isDone() || closed || self == loopThread || loop.inEventLoop()) {
      return;
    }
    if (nanos <= 0) {
      look(self);
    } else if (self instanceof ForkJoinWorkerThread) {
      ForkJoinPool.managedBlock(new Blocker(awaited, nanos)); // its pool may replace the worker
    } else {
      awaitHere(awaited, nanos);
    }
  }

  private final class Blocker implements ForkJoinPool.ManagedBlocker {
    private final CompletableFuture<?> awaited;
    private final long nanos;

    Blocker(CompletableFuture<?> awaited, long nanos) {
      this.awaited = awaited;
      this.nanos = nanos;
    }

    @Override
    public boolean block() throws InterruptedException {
      awaitHere(awaited, nanos);
      return true;
    }

    @Override
    public boolean isReleasable() {
      return awaited.isDone();
    }
  }

  /** Handles what has come; the watcher does if there is one. */
  private void look(Thread self) {
    if (!VirtualThreads.isVirtual(self) && watcher.compareAndSet(null, self)) {
      try {
        loop.watchOnce(0);
      } catch (InterruptedException e) {
        self.interrupt();
      } catch (RuntimeException e) {
        log.error(FAULT, e);
      } finally {
        leave();
      }
    }
  }

  private void awaitHere(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    Thread self = Thread.currentThread();
    boolean mayWatch = WatchPolicy.mayWatch(nanos, VirtualThreads.isVirtual(self));
    long deadline = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
    awaited.whenComplete((value, fault) -> wake(self));
    if (mayWatch && watcher.compareAndSet(null, self)) {
      watchUntil(awaited, deadline);
    } else {
      standBy(awaited, deadline, mayWatch);
    }
    if (!awaited.isDone() && Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  private void wake(Thread waiting) {
    if (Thread.currentThread() != waiting) {
      LockSupport.unpark(waiting);
      if (watcher.get() == waiting) {
        loop.wakeUp();
      }
    }
  }

  /** Called with the watch; gives it back. */
  private void watchUntil(CompletableFuture<?> awaited, long deadline) {
    try {
      long left = deadline - System.nanoTime();
      while (!awaited.isDone() && left > 0 && !closed && !Thread.currentThread().isInterrupted()) {
        loop.watchOnce(Math.min(left, FOREVER));
        left = deadline - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error(FAULT, e); // the awaited future reports what the fault means for the caller
    } finally {
      leave();
    }
  }

  /** Gives the watch back, or on to the next watcher. */
  private void leave() {
    watches.incrementAndGet();
    Thread next = WatchPolicy.passesOn(parkedCallers.get()) ? nextWatcher.getAndSet(null) : null;
    watcher.set(next);
    if (next != null) {
      LockSupport.unpark(next);
    } else if (WatchPolicy.needsLoopThread(parkedCallers.get(), asleep, closed)) {
      callLoopThread();
    }
  }

  /** Parks until another thread has served this caller, or has passed the watch to it. */
  private void standBy(CompletableFuture<?> awaited, long deadline, boolean mayWatch) {
    Thread self = Thread.currentThread();
    parkedCallers.incrementAndGet();
    boolean isNext = mayWatch && nextWatcher.compareAndSet(null, self);
    try {
      noteCall();
      callUnlessWatched();
      parkUntilServed(awaited, deadline, isNext);
    } finally {
      parkedCallers.decrementAndGet();
      if (isNext && !nextWatcher.compareAndSet(self, null)) { // taken: the watch comes
        while (watcher.get() != self) {
          LockSupport.park(this);
        }
        watchUntil(awaited, deadline);
      }
    }
  }

  private void parkUntilServed(CompletableFuture<?> awaited, long deadline, boolean isNext) {
    Thread self = Thread.currentThread();
    long asksAt = System.nanoTime() + WatchPolicy.ASK_AFTER;
    while (!awaited.isDone() && !closed && !self.isInterrupted()) {
      long now = System.nanoTime();
      if (deadline - now <= 0 || (isNext && nextWatcher.get() != self)) {
        return;
      }
      boolean mayAsk = WatchPolicy.mayAsk(isNext, parkedCallers.get(), watcher());
      if (mayAsk && now - asksAt >= 0) {
        asked.set(true);
        loop.wakeUp();
        asksAt = deadline;
      }
      LockSupport.parkNanos(this, (mayAsk && asksAt - deadline < 0 ? asksAt : deadline) - now);
    }
  }

  private void noteCall() {
    long now = System.nanoTime();
    soloCalls = WatchPolicy.soloCalls(soloCalls, now - lastCall, watcher(), parkedCallers.get());
    lastCall = now;
  }

  /** Sends the loop thread to the sockets if the watch is free. */
  void callUnlessWatched() {
    if (watcher.get() == null) {
      callLoopThread();
    }
  }

  private void callLoopThread() {
    called = true;
    LockSupport.unpark(loopThread);
  }

  void close() {
    closed = true;
    loop.wakeUp();
    callLoopThread();
  }

  // ---- the loop thread

  @Override
  public void run() {
    while (true) {
      called = false;
      Thread.interrupted(); // no reason to stop, and waiting would be spinning from then on
      if (!watcher.compareAndSet(null, loopThread)) {
        sleepUntilCalled();
      } else if (closed) {
        loop.end();
        return;
      } else {
        Thread next = watchUntilCallersDo();
        watcher.set(next);
        LockSupport.unpark(next);
        stayAway();
      }
    }
  }

  /** Called with the watch; returns the caller that gets it, or null to leave it free. */
  private @Nullable Thread watchUntilCallersDo() {
    while (!closed) {
      try {
        loop.watchOnce(FOREVER);
      } catch (InterruptedException e) {
        log.debug("the loop thread was interrupted and goes on"); // the exception clears the flag
      } catch (RuntimeException | Error e) {
        log.error(FAULT, e);
        LockSupport.parkNanos(this, AFTER_FAULT);
      }
      Thread.interrupted();
      Thread next = asked.getAndSet(false) ? nextWatcher.getAndSet(null) : null;
      if (WatchPolicy.loopThreadLeaves(next != null, soloCalls)) {
        soloCalls = 0;
        return next;
      }
    }
    return null;
  }

  private void stayAway() {
    int idleGlances = 0;
    do {
      long seen = watches.get();
      LockSupport.parkNanos(this, WatchPolicy.untilNextGlance(watcher(), parkedCallers.get()));
      if (called || closed || Thread.interrupted()) {
        return;
      }
      idleGlances = WatchPolicy.idleGlances(idleGlances, watches.get() != seen);
    } while (WatchPolicy.staysAway(idleGlances, watcher()));
  }

  private void sleepUntilCalled() {
    asleep = true;
    while (!called && watcher.get() != null && !Thread.interrupted()) {
      LockSupport.park(this);
    }
    asleep = false;
  }
}
