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
 * An event loop of Netty that is not bound to a thread: at any moment at most one thread is at work
 * in it, and that one <em>is</em> the loop for as long as it is. Who has waited at the sockets (see
 * {@link Watch}) takes a turn to deal with what has come. Who sends something takes a turn to do
 * that, by {@link #run}; if somebody is at work already, it is left to them, so nobody ever waits
 * for the loop.
 *
 * <p>What others submit with {@link #execute} is never run by the submitting thread, which may be
 * in the midst of something and hold locks: Netty and Lettuce call it from everywhere. What runs
 * here must not block, as in any event loop: it may run on the thread of an application that is
 * about to wait for an answer.
 */
public final class CallerLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
  /** In one go by one thread: an application's thread is not kept for the work of all others. */
  private static final int MOST_TASKS = 256;

  private static final long NO_TIMER = Long.MAX_VALUE;

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ReentrantLock turn = new ReentrantLock();
  private final ReadyChannels channels = new ReadyChannels();
  private final Watch watch;
  private final Promise<@Nullable Void> terminated = GlobalEventExecutor.INSTANCE.newPromise();
  private volatile @Nullable Thread atWork;
  private volatile long nextTimer = NO_TIMER;
  private volatile long watchedUntil = NO_TIMER;
  private volatile boolean closing;

  /**
   * Starts a loop with a thread of its own for when nobody waits.
   *
   * @param name of that thread
   */
  public CallerLoop(String name) {
    this.watch = new Watch(this, name);
    watch.start();
  }

  /**
   * Waits until a future is complete or the time is over, and does the work of the loop meanwhile
   * if nobody else does. May return sooner.
   *
   * @param awaited what the calling thread waits for
   * @param nanos how long at most; with zero only what has come already is dealt with
   */
  public void await(CompletableFuture<?> awaited, long nanos) throws InterruptedException {
    watch.await(awaited, nanos);
  }

  // ---- work

  /**
   * Runs a task now, on the calling thread if nobody else is at work. The caller must hold no lock
   * that anything in the loop may want, since it may have to run the tasks of others, too.
   *
   * @throws RejectedExecutionException after the end
   */
  public void run(Runnable task) {
    Thread self = Thread.currentThread();
    if (inEventLoop(self) || VirtualThreads.isVirtual(self)) {
      execute(task); // Netty keeps kilobytes for every thread that writes
    } else {
      add(task);
      runTasksUnlessSomebodyDoes();
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

  private void runTasksUnlessSomebodyDoes() {
    int left = MOST_TASKS;
    while (!tasks.isEmpty() && turn.tryLock()) { // whoever has the turn looks again afterwards
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
   * Waits at the sockets and deals with what comes. Only who has the watch may. Who is interrupted
   * or has waited for long enough comes back at once, whatever the thread at work does.
   */
  void watchOnce(long nanos) throws InterruptedException {
    long startedAt = System.nanoTime();
    awaitReady(nanos);
    if (turn.tryLock()
        || turn.tryLock(nanos - (System.nanoTime() - startedAt), TimeUnit.NANOSECONDS)) {
      takeTurn(true, MOST_TASKS);
      runTasksUnlessSomebodyDoes();
    } // else what is ready still is when somebody looks again
  }

  private void awaitReady(long nanos) {
    long now = ticker().nanoTime();
    long timer = nextTimer;
    long wait = timer == NO_TIMER ? nanos : Math.min(nanos, Math.max(0, timer - now));
    watchedUntil = now + wait;
    if (nextTimer - watchedUntil < 0 || !tasks.isEmpty()) {
      wait = 0; // there meanwhile, from somebody who did not know how long we would wait
    }
    try {
      channels.await(wait);
    } catch (IOException e) {
      throw new UncheckedIOException("waiting for connections failed", e);
    }
  }

  /** With the turn, which it gives back; how many tasks were run. */
  private int takeTurn(boolean fromWatch, int mostTasks) {
    atWork = Thread.currentThread();
    try {
      if (fromWatch) {
        channels.handle();
        runTimers();
      }
      int done = runTasks(mostTasks);
      noteNextTimer();
      return done;
    } finally {
      atWork = null;
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
    return thread == atWork;
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
    return handlerType == NioIoHandler.class; // works like it, for what Netty asks this
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

  /** By the loop's own thread, which has the watch and never gives it back. */
  void end() {
    turn.lock();
    atWork = Thread.currentThread();
    try {
      channels.closeChannels();
      runTasks(Integer.MAX_VALUE);
      cancelScheduledTasks();
      channels.close();
    } finally {
      atWork = null;
      turn.unlock();
      terminated.trySuccess(null);
    }
    runTasksUnlessSomebodyDoes(); // of those who came too late to be refused
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
