package io.holdfast.redis.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An event loop of Netty that is not bound to a thread. At any moment at most one thread has the
 * turn: it <em>is</em> the loop for as long as it works. The thread that has waited at the sockets
 * (see {@link Watch}) takes a turn to handle ready channels. A thread that sends something takes a
 * turn to do so, by {@link #run}; if another thread has the turn, that thread does it. So no thread
 * ever waits for the loop.
 *
 * <p>The submitting thread never runs a task of {@link #execute}: it may hold locks, since Netty
 * and Lettuce submit tasks from everywhere. Tasks must not block, as in any event loop: a task may
 * run on a thread of the application that is about to wait for an answer.
 */
public final class CallerLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
  /** A thread of the application is not kept for the work of all others. */
  private static final int MOST_TASKS = 256;

  private static final long NO_TIMER = Long.MAX_VALUE;

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ReentrantLock turn = new ReentrantLock();
  private final ReadyChannels channels = new ReadyChannels();
  private final Watch watch;
  private final Promise<@Nullable Void> terminated = GlobalEventExecutor.INSTANCE.newPromise();
  private volatile @Nullable Thread turnOwner;
  private volatile long nextTimer = NO_TIMER;
  private volatile long watchedUntil = NO_TIMER;
  private volatile boolean closing;

  /**
   * Starts a loop with a thread that watches the sockets when no caller does.
   *
   * @param name the name of that thread
   */
  public CallerLoop(String name) {
    this.watch = new Watch(this, name);
    watch.start();
  }

  /**
   * Waits until a future is complete or the time is over, and does the work of the loop meanwhile
   * if no other thread does. May return sooner.
   *
   * @param awaited the future that the calling thread waits for
   * @param nanos how long at most; zero to handle only channels that are ready now
   */
  public void await(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    watch.await(awaited, nanos);
  }

  // ---- work

  /**
   * Runs a task now, on the calling thread if no other thread has the turn. The caller must hold no
   * lock that a task of the loop may want, since it may have to run tasks of other threads, too.
   *
   * @throws RejectedExecutionException after the loop has ended
   */
  public void run(Runnable task) {
    Thread self = Thread.currentThread();
    if (inEventLoop(self) || VirtualThreads.isVirtual(self)) {
      execute(task); // Netty keeps kilobytes for every thread that writes
    } else {
      add(task);
      runTasksUnlessAnotherThreadDoes();
    }
  }

  @Override
  public void execute(Runnable task) {
    add(task);
    if (!inEventLoop()) {
      leaveToWatcher();
    }
  }

  private void add(Runnable task) {
    tasks.add(task);
    if (isTerminated() && tasks.remove(task)) {
      throw new RejectedExecutionException("the connection is closed");
    }
  }

  private void runTasksUnlessAnotherThreadDoes() {
    int left = MOST_TASKS;
    while (!tasks.isEmpty() && turn.tryLock()) { // the owner of the turn looks again afterwards
      left -= takeTurn(false, left);
      if (left <= 0) {
        leaveToWatcher();
        return;
      }
    }
  }

  private void leaveToWatcher() {
    channels.wakeUp();
    watch.callUnlessWatched();
  }

  /**
   * Waits at the sockets and handles channels that become ready. Only the watcher may call this. An
   * interrupt or the end of the time ends the call, whatever the owner of the turn does.
   */
  void watchOnce(long nanos) throws InterruptedException {
    long startedAt = System.nanoTime();
    awaitReady(nanos);
    if (turn.tryLock()
        || turn.tryLock(nanos - (System.nanoTime() - startedAt), TimeUnit.NANOSECONDS)) {
      takeTurn(true, MOST_TASKS);
      runTasksUnlessAnotherThreadDoes();
    } // else ready channels are still ready for the next watcher
  }

  private void awaitReady(long nanos) {
    long now = ticker().nanoTime();
    long timer = nextTimer;
    long wait = timer == NO_TIMER ? nanos : Math.min(nanos, Math.max(0, timer - now));
    watchedUntil = now + wait;
    if (nextTimer - watchedUntil < 0 || !tasks.isEmpty()) {
      wait = 0; // added meanwhile by a thread that did not know how long this one would wait
    }
    try {
      channels.await(wait);
    } catch (IOException e) {
      throw new UncheckedIOException("waiting for connections failed", e);
    }
  }

  /** Called with the turn, gives it back, and returns how many tasks it has run. */
  private int takeTurn(boolean fromWatch, int mostTasks) {
    turnOwner = Thread.currentThread();
    try {
      if (fromWatch) {
        channels.handle();
        runTimers();
      }
      int done = runTasks(mostTasks);
      noteNextTimer();
      return done;
    } finally {
      turnOwner = null;
      turn.unlock();
    }
  }

  private int runTasks(int most) {
    for (int done = 0; done < most; done++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return done;
      }
      safeExecute(task);
    }
    return most;
  }

  private void runTimers() {
    if (nextTimer == NO_TIMER) {
      return;
    }
    long now = ticker().nanoTime();
    for (Runnable due = pollScheduledTask(now); due != null; due = pollScheduledTask(now)) {
      safeExecute(due);
    }
  }

  private void noteNextTimer() {
    long next = nextScheduledTaskDeadlineNanos();
    if (next == -1) {
      next = NO_TIMER;
    }
    if (next != nextTimer) {
      nextTimer = next;
      if (next - watchedUntil < 0) {
        channels.wakeUp();
      }
    }
  }

  /** Ends the wait at the sockets. */
  void wakeUp() {
    channels.wakeUp();
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return thread == turnOwner;
  }

  // ---- channels

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  @Deprecated
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    Promise<IoRegistration> promise = newPromise();
    if (inEventLoop()) {
      add(handle, promise);
    } else {
      execute(() -> add(handle, promise));
    }
    return promise;
  }

  private void add(IoHandle handle, Promise<IoRegistration> promise) {
    try {
      promise.setSuccess(channels.add(handle));
      handle.registered();
    } catch (ClosedChannelException | RuntimeException e) {
      promise.tryFailure(e);
    }
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return NioIoHandle.class.isAssignableFrom(handleType);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> handlerType) {
    return handlerType == NioIoHandler.class; // the loop accepts the same handles
  }

  @Override
  public IoEventLoop next() {
    return this;
  }

  @Override
  public IoEventLoopGroup parent() {
    return this;
  }

  // ---- the end

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    closing = true;
    watch.close();
    return terminated;
  }

  /** Called by the loop thread, which has the watch and never gives it back. */
  void end() {
    turn.lock();
    turnOwner = Thread.currentThread();
    try {
      channels.closeChannels();
      runTasks(Integer.MAX_VALUE);
      cancelScheduledTasks();
      channels.close();
    } finally {
      turnOwner = null;
      turn.unlock();
      terminated.trySuccess(null);
    }
    runTasksUnlessAnotherThreadDoes(); // tasks that came too late to be rejected
  }

  @Override
  @Deprecated
  public void shutdown() {
    closing = true;
    watch.close();
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }

  @Override
  public boolean isShuttingDown() {
    return closing;
  }

  @Override
  public boolean isShutdown() {
    return terminated.isDone();
  }

  @Override
  public boolean isTerminated() {
    return terminated.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }
}
