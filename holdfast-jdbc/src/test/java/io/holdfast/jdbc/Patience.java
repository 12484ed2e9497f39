package io.holdfast.jdbc;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.StoreException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Time limits that are exceeded only if a property is broken, however busy the machine is. */
final class Patience {
  static final Duration LIMIT = Duration.ofSeconds(60);

  private Patience() {}

  /**
   * A manager with a time-out that suits the faults of a test. On a busy machine connecting may
   * take longer, so it is repeated.
   */
  static LockManager connect(LockManagerBuilder builder) {
    long start = System.nanoTime();
    while (true) {
      try {
        return builder.build();
      } catch (StoreException e) {
        if (System.nanoTime() - start > LIMIT.toNanos()) {
          throw e;
        }
      }
    }
  }

  static ConditionFactory eventually() {
    return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(10));
  }

  /** The result of a future; its failure is an {@link ExecutionException}. */
  static <T> T get(Future<T> future)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
