package io.holdfast.internal.base;

import io.holdfast.LockException;
import io.holdfast.spi.LockBackend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the engine on the thread of a caller, which may do the work of the backend meanwhile.
 */
public final class Awaits {
  /** Without limit. */
  public static final long FOREVER = Long.MAX_VALUE;

  private Awaits() {}

  /** Waits for as long as it takes; an interrupt is kept for the caller. */
  public static <T extends @Nullable Object> T await(
      LockBackend backend, CompletableFuture<T> future) {
    try {
      return awaitUninterruptibly(backend, future, FOREVER);
    } catch (TimeoutException e) {
      throw new AssertionError("forever is over", e);
    }
  }

  /** Waits until the time is over; an interrupt is kept for the caller. */
  public static <T extends @Nullable Object> T awaitUninterruptibly(
      LockBackend backend, CompletableFuture<T> future, long nanos) throws TimeoutException {
    boolean interrupted = false;
    long startedAt = System.nanoTime();
    try {
      while (true) {
        boolean forever = nanos == FOREVER;
        long left = forever ? nanos : Math.max(0, nanos - (System.nanoTime() - startedAt));
        try {
          return await(backend, future, left);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits until the time is over. */
  public static <T extends @Nullable Object> T await(
      LockBackend backend, CompletableFuture<T> future, long nanos)
      throws InterruptedException, TimeoutException {
    long left = nanos;
    if (!future.isDone() && nanos > 0) {
      long startedAt = System.nanoTime();
      backend.assist(future, nanos);
      left = Math.max(0, nanos - (System.nanoTime() - startedAt));
    }
    try {
      return nanos == FOREVER ? future.get() : future.get(left, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /** A call that can be interrupted takes nothing on a thread that is interrupted already. */
  public static void failIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /**
   * Whether a thread with this stack waits here. One that does the work of the backend meanwhile
   * may look as if it ran.
   */
  public static boolean isIn(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (frame.getClassName().equals(Awaits.class.getName())) {
        return true;
      }
    }
    return false;
  }

  private static RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof RuntimeException known) {
      known.addSuppressed(new CallerTrace());
      return known;
    }
    if (cause instanceof Error error) {
      throw error;
    }
    return new LockException("unexpected", cause);
  }

  /** Shows in a fault that came from another thread where the caller was. */
  private static final class CallerTrace extends Throwable {
    private static final long serialVersionUID = 1L;

    CallerTrace() {
      super("thrown in a call from");
    }
  }
}
