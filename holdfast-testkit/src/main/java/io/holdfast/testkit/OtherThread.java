package io.holdfast.testkit;

import io.holdfast.testkit.internal.Waiting;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A second thread that does what the test tells it, one thing after the other, and passes results
 * and failures back.
 *
 * <pre>{@code
 * try (OtherThread other = new OtherThread("other")) {
 *   other.run(lock::lock);
 *   assertThat(lock.tryLock()).isFalse();
 *   other.run(lock::unlock);
 * }
 * }</pre>
 */
public final class OtherThread implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 500;

  private final ExecutorService executor;
  private volatile @Nullable Thread thread;
  private volatile boolean acting;

  /** Starts it. */
  public OtherThread(String name) {
    this.executor =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread created = new Thread(task, name);
              created.setDaemon(true);
              thread = created;
              return created;
            });
    call(() -> true);
  }

  /** Something that may fail. */
  @FunctionalInterface
  public interface Action {
    /** Does it. */
    void run() throws Exception;
  }

  /** Does something there and waits for it. */
  public void run(Action action) {
    call(
        () -> {
          action.run();
          return true;
        });
  }

  /** Does something there, waits for it and returns its result. */
  public <T> T call(Callable<T> action) {
    return get(start(action));
  }

  /** Asks something there that is answered by yes or no. */
  public boolean check(Callable<Boolean> question) {
    return call(question);
  }

  /** Starts something there. */
  public <T> Future<T> start(Callable<T> action) {
    return executor.submit(
        () -> {
          acting = true;
          try {
            return action.call();
          } finally {
            acting = false;
          }
        });
  }

  /** Starts something there that has no result. */
  public Future<Boolean> startRun(Action action) {
    return start(
        () -> {
          action.run();
          return true;
        });
  }

  /** Waits for the result; a failure there is a failure here. */
  public static <T> T get(Future<T> future) {
    try {
      return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof RuntimeException known) {
        throw known;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new AssertionError(cause);
    } catch (TimeoutException e) {
      throw new AssertionError("nothing came back within " + PATIENCE_SECONDS + " s", e);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  /** Interrupts it. */
  public void interrupt() {
    thread().interrupt();
  }

  /** The thread itself. */
  public Thread thread() {
    Thread running = thread;
    if (running == null) {
      throw new IllegalStateException("not started");
    }
    return running;
  }

  /**
   * True if an action sleeps in a wait. An idle thread sleeps too, in the queue of its executor: an
   * interrupt that finds it there never reaches the action that is about to start.
   */
  public boolean isWaiting() {
    return acting && sleeps();
  }

  private boolean sleeps() {
    Thread.State state = thread().getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING || assists();
  }

  /** Waits at the sockets of its backend, which Java does not call waiting. */
  private boolean assists() {
    for (StackTraceElement frame : thread().getStackTrace()) {
      if (frame.getMethodName().equals("assist")) { // of LockBackend
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
