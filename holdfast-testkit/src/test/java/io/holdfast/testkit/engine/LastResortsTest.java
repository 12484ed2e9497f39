package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What is left to do when even the ways out fail. */
@Isolated
@Timeout(600)
class LastResortsTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private final TwoProcesses processes = new TwoProcesses();

  @AfterEach
  void close() {
    processes.close();
  }

  /** ThreadPoolExecutor.execute throws OutOfMemoryError when no thread can be made. */
  @Test
  void anExecutorThatFailsWithAnErrorDoesNotLeaveTheLockHeldForEver() {
    AtomicBoolean failing = new AtomicBoolean(true);
    try (LockManager manager = failing(failing)) {
      CompletableFuture<Lease> asked = manager.getLock("k").acquireAsync();
      assertThat(asked).succeedsWithin(SOON);
    }
  }

  @Test
  void anExecutorThatFailsWithAnErrorDoesNotFailTheCloseOfTheOneBefore() {
    AtomicBoolean failing = new AtomicBoolean();
    try (LockManager manager = failing(failing)) {
      Lease first = manager.getLock("k").acquire();
      CompletableFuture<Lease> second = manager.getLock("k").acquireAsync();
      failing.set(true);
      assertThatCode(first::close).doesNotThrowAnyException();
      assertThat(second).succeedsWithin(SOON);
    }
  }

  private LockManager failing(AtomicBoolean failing) {
    return processes
        .manager()
        .callbackExecutor(
            task -> {
              if (failing.get()) {
                throw new OutOfMemoryError("unable to create native thread, on purpose");
              }
              task.run();
            })
        .build();
  }

  /** future.complete(x), future.completeOnTimeout(x, ...). */
  @Test
  void aFutureThatIsCompletedByTheApplicationLeavesTheQueues() {
    DistributedLock lock = processes.here.getLock("k");
    Lease theirs = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    waiting.complete(theirs);
    assertThat(lock.info().waiters()).isEmpty();
    theirs.close();
  }

  /** Release stops at the local deadline, though a renewal may have been executed since. */
  @Test
  void aReleaseIsRepeatedForAsLongAsTheStoreMayHaveTheLock() {
    AtomicBoolean deaf = new AtomicBoolean();
    processes.store.on(
        "renew",
        call -> {
          if (!deaf.get()) {
            call.proceed();
          }
          return CompletableFuture.completedFuture(
              Collections.nCopies(
                  ((List<?>) call.argument(0)).size(),
                  new RenewResult.Unknown(new TimeoutException("no answer"))));
        });
    processes.store.on(
        "release",
        call ->
            deaf.get()
                ? CompletableFuture.completedFuture(
                    new ReleaseResult.Unknown(new TimeoutException("no answer")))
                : call.proceed());
    Lease lease =
        processes.here.getLock(LockConfig.builder().lockKey("k").leaseTime(9).build()).acquire();
    CompletableFuture<Lease> next = processes.there.getLock("k").acquireAsync();
    processes.clock.advance(Duration.ofSeconds(7)); // renewed in the store, unknown to us
    deaf.set(true);
    lease.close();
    processes.clock.advance(Duration.ofSeconds(1)); // past the deadline
    deaf.set(false);
    processes.clock.advance(Duration.ofSeconds(3));
    assertThat(next).as("not after the rest of the lease").isCompleted();
  }
}
