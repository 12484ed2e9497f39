package io.holdfast.redis;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreException;
import java.time.Duration;

/**
 * URLs for tests whose processes may have to wait for a processor: a connection or a command may
 * take seconds on a busy machine.
 */
public final class PatientUrl {
  private static final long MOST_NANOS = Duration.ofMinutes(1).toNanos();

  private PatientUrl() {}

  /** The same URL with a time-out that a starved process does not reach. */
  public static String patient(String url) {
    return url + (url.contains("?") ? "&" : "?") + "timeout=60s";
  }

  /**
   * A manager for a URL with a time-out that suits the faults of a test. A starved process may
   * reach it while connecting, and tries again.
   */
  public static LockManager connect(LockManagerBuilder builder) {
    long start = System.nanoTime();
    while (true) {
      try {
        return builder.build();
      } catch (StoreException e) {
        if (System.nanoTime() - start > MOST_NANOS) {
          throw e;
        }
      }
    }
  }
}
