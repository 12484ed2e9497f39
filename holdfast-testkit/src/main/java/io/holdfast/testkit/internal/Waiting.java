package io.holdfast.testkit.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Polls for a condition that nothing announces, such as the state of another process. An interrupt
 * ends the wait with an exception and stays set.
 */
public final class Waiting {
  private static final long POLL_MILLIS = 2;

  private Waiting() {}

  /** Whether the condition came true within the limit. It is checked at least once. */
  public static boolean until(BooleanSupplier condition, Duration limit) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > limit.toNanos()) {
        return false;
      }
      pause(POLL_MILLIS);
    }
    return true;
  }

  /** Whether the process ended within the limit. */
  public static boolean forExit(Process process, Duration limit) {
    try {
      return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  public static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while waiting", e);
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }
}
