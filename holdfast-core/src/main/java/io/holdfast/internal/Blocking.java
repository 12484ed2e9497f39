package io.holdfast.internal;

import io.holdfast.LockException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for the engine on the thread of a caller. */
final class Blocking {
  private Blocking() {}

  /** Waits for as long as it takes; an interrupt is kept for the caller. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return await(future, Demand.FOREVER);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          throw new AssertionError("forever is over", e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits until the time is over. */
  static <T extends @Nullable Object> T await(CompletableFuture<T> future, long nanos)
      throws InterruptedException, TimeoutException {
    try {
      return nanos == Demand.FOREVER ? future.get() : future.get(nanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
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
