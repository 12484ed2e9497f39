package io.holdfast.redis.loop;

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
 * default it is the loop's own thread. A thread of the application that waits for something takes
 * the watch when it is free, and is then served without any other thread being woken. Two threads
 * that wait at the same time are served by the loop's own.
 *
 * <pre>
 *            a thread calls again and again, alone            it has not called for a while,
 *   loop's   -------------------------------------->   free   or one waits that has not the watch
 *   thread   <-----------------------------------------------
 *      |                                                ^ |
 *      | a thread waits for long, alone         is done | | waits
 *      '---------------------------------------> that thread
 * </pre>
 *
 * While the watch is free nobody hears what comes; the loop's own thread looks every {@link
 * #GLANCE}, or {@link #LONG_GLANCE} after somebody had it, whether that is still worth it. So a
 * message, or an answer nobody waits for, can be late by that time, in a process whose threads have
 * just been calling.
 */
final class Watch implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Watch.class);
  private static final String FAULT = "a fault at the connections; going on";
  private static final long GLANCE = TimeUnit.MICROSECONDS.toNanos(400);

  /** While somebody has the watch it is not urgent; each glance costs a wake-up. */
  private static final long LONG_GLANCE = TimeUnit.MILLISECONDS.toNanos(1);

  /** While somebody waits who may not have the watch. */
  private static final long SHORT_GLANCE = TimeUnit.MICROSECONDS.toNanos(50);

  private static final long FOREVER = TimeUnit.MINUTES.toNanos(1);

  /** A thread that was turned away takes the watch from the loop's own after this time. */
  private static final long LONG = TimeUnit.MICROSECONDS.toNanos(200);

  /** Calls that follow each other within this time are worth to leave the watch free for. */
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long AFTER_FAULT = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int SEVERAL = 4;
  private static final int MANY = 64;
  private static final int LONGEST_GLANCES = 8;

  /** The selector counts in milliseconds. */
  private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(2);

  private final CallerLoop loop;
  private final Thread own;
  private final AtomicReference<@Nullable Thread> watcher = new AtomicReference<>();
  private final AtomicReference<@Nullable Thread> nextWatcher = new AtomicReference<>();
  private final AtomicInteger parkedCallers = new AtomicInteger();
  private final ShortLook shortLook =
      new ShortLook(System::nanoTime, Runtime.getRuntime().availableProcessors());
  private final AtomicLong watches = new AtomicLong(); // by threads of the application
  private volatile boolean called;
  private volatile boolean asleep;
  private final AtomicBoolean asked =
      new AtomicBoolean(); // by the nextWatcher, to be given the watch of the loop's own thread
  private volatile boolean closed;
  private volatile int soloCalls;
  private volatile long lastCall;

  Watch(CallerLoop loop, String name) {
    this.loop = loop;
    this.own = new FastThreadLocalThread(this, name);
    own.setDaemon(true);
  }

  void start() {
    lastCall = System.nanoTime() - SOON;
    own.start();
  }

  // ---- threads of the application

  /** A thread of the application sends something. */
  void sends(Thread thread) {
    shortLook.sends(thread);
  }

  /** Until it is done or the time is over; may end sooner. */
  void await(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    Thread self = Thread.currentThread();
    if (awaited.isDone() || closed || self == own || loop.inEventLoop()) {
      return;
    }
    if (nanos <= 0) {
      look(self);
    } else if (self instanceof ForkJoinWorkerThread) {
      ForkJoinPool.managedBlock(new Blocker(awaited, nanos)); // its pool wants to know
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

  /** Deals with what has come; if somebody else has the watch, they do. */
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
    boolean mayWatch = nanos >= SHORTEST && !VirtualThreads.isVirtual(self);
    boolean looksFirst = shortLook.isFor(self);
    long deadline = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 4);
    awaited.whenComplete((value, fault) -> wake(self));
    if (mayWatch && watcher.compareAndSet(null, self)) {
      watchUntil(awaited, deadline, looksFirst);
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

  /** With the watch, which it gives back. */
  private void watchUntil(CompletableFuture<?> awaited, long deadline, boolean looksFirst) {
    try {
      if (looksFirst && shortLook.isWorthIt()) {
        lookFor(awaited);
      }
      long left = deadline - System.nanoTime();
      while (!awaited.isDone() && left > 0 && !closed && !Thread.currentThread().isInterrupted()) {
        loop.watchOnce(Math.min(left, FOREVER));
        left = deadline - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error(FAULT, e); // its future will tell what that means
    } finally {
      leave();
    }
  }

  /** Instead of going to sleep for an answer that is nearly there. */
  private void lookFor(CompletableFuture<?> awaited) throws InterruptedException {
    long began = System.nanoTime();
    while (!awaited.isDone()
        && parkedCallers.get() == 0
        && System.nanoTime() - began < ShortLook.LONGEST) {
      loop.watchOnce(0);
    }
    shortLook.ended(awaited.isDone());
  }

  /** Gives the watch back, or on to the one thread that waits for it. */
  private void leave() {
    watches.incrementAndGet();
    Thread next = parkedCallers.get() == 1 ? nextWatcher.getAndSet(null) : null;
    watcher.set(next);
    if (next != null) {
      LockSupport.unpark(next);
    } else if (parkedCallers.get() > 0 || asleep || closed) {
      callOwn();
    }
  }

  /** Somebody else has the watch: waits to be served, or to be given the watch. */
  private void standBy(CompletableFuture<?> awaited, long deadline, boolean mayWatch) {
    Thread self = Thread.currentThread();
    parkedCallers.incrementAndGet();
    boolean inLine = mayWatch && nextWatcher.compareAndSet(null, self);
    try {
      noteCall();
      callUnlessWatched();
      waitUntilServed(awaited, deadline, inLine);
    } finally {
      parkedCallers.decrementAndGet();
      if (inLine
          && !nextWatcher.compareAndSet(self, null)) { // taken out of the line: is given the watch
        while (watcher.get() != self) {
          LockSupport.park(this);
        }
        watchUntil(awaited, deadline, false);
      }
    }
  }

  private void waitUntilServed(CompletableFuture<?> awaited, long deadline, boolean inLine) {
    Thread self = Thread.currentThread();
    long asksAt = System.nanoTime() + LONG;
    while (!awaited.isDone() && !closed && !self.isInterrupted()) {
      long now = System.nanoTime();
      if (deadline - now <= 0 || (inLine && nextWatcher.get() != self)) {
        return;
      }
      boolean mayAsk = inLine && parkedCallers.get() == 1 && watcher.get() == own;
      if (mayAsk && now - asksAt >= 0) {
        asked.set(true);
        loop.wakeUp();
        asksAt = deadline;
      }
      LockSupport.parkNanos(this, (mayAsk && asksAt - deadline < 0 ? asksAt : deadline) - now);
    }
  }

  /** Alone and soon after the last time: worth to leave the watch free. */
  private void noteCall() {
    long now = System.nanoTime();
    if (watcher.get() != own || parkedCallers.get() > 1) {
      soloCalls = -MANY;
    } else {
      soloCalls = now - lastCall < SOON ? soloCalls + 1 : 0;
    }
    lastCall = now;
  }

  /** Nobody waits at the sockets: somebody must. */
  void callUnlessWatched() {
    if (watcher.get() == null) {
      callOwn();
    }
  }

  private void callOwn() {
    called = true;
    LockSupport.unpark(own);
  }

  void close() {
    closed = true;
    loop.wakeUp();
    callOwn();
  }

  // ---- the loop's own thread

  @Override
  public void run() {
    while (true) {
      called = false;
      Thread.interrupted(); // nobody has a reason to, and waiting would be spinning from then on
      if (!watcher.compareAndSet(null, own)) {
        sleepUntilCalled();
      } else if (closed) {
        loop.end();
        return;
      } else {
        Thread next = watchUntilOthersDo();
        watcher.set(next);
        LockSupport.unpark(next);
        glance();
      }
    }
  }

  /** With the watch; who is to have it next, null if nobody in particular. */
  private @Nullable Thread watchUntilOthersDo() {
    while (!closed) {
      try {
        loop.watchOnce(FOREVER);
      } catch (InterruptedException e) {
        log.debug("interrupted, by whomever"); // which has cleared it
      } catch (RuntimeException | Error e) {
        log.error(FAULT, e);
        LockSupport.parkNanos(this, AFTER_FAULT);
      }
      Thread.interrupted();
      Thread next = asked.getAndSet(false) ? nextWatcher.getAndSet(null) : null;
      if (next != null || soloCalls >= SEVERAL) {
        soloCalls = 0;
        return next;
      }
    }
    return null;
  }

  /** Stays away for as long as others come again and again, or have only just come. */
  private void glance() {
    for (int still = 0; still < LONGEST_GLANCES; still++) {
      long seen = watches.get();
      LockSupport.parkNanos(this, untilNextGlance());
      if (called || closed || Thread.interrupted()) {
        return;
      }
      if (watches.get() != seen) {
        still = 0;
      } else if (watcher.get() == null) {
        return;
      }
    }
  }

  private long untilNextGlance() {
    if (parkedCallers.get() > 0) {
      return SHORT_GLANCE;
    }
    return watcher.get() == null ? GLANCE : LONG_GLANCE;
  }

  private void sleepUntilCalled() {
    asleep = true;
    while (!called && watcher.get() != null && !Thread.interrupted()) {
      LockSupport.park(this);
    }
    asleep = false;
  }
}
