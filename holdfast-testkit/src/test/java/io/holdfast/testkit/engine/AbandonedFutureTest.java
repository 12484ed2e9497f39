package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A future that the application has ended itself: nobody waits any more, and nothing is taken. */
@Isolated
@Timeout(600)
class AbandonedFutureTest {
  private final TwoProcesses processes = new TwoProcesses();
  private final DistributedLock lock = processes.here.getLock("k");

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aFutureThatIsFailedByTheApplicationLeavesTheQueueOfTheStore() {
    Lease theirs = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    assertThat(lock.info().waiters()).hasSize(1);

    waiting.completeExceptionally(new IllegalStateException("not wanted any more"));

    assertThat(lock.info().waiters()).isEmpty();
    theirs.close();
    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void aFutureThatIsFailedByTheApplicationLeavesTheQueueOfItsProcess() {
    Lease held = lock.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    CompletableFuture<Lease> behind = lock.acquireAsync();
    assertThat(lock.info().localWaiters()).isEqualTo(2);

    waiting.completeExceptionally(new IllegalStateException("not wanted any more"));

    assertThat(lock.info().localWaiters()).isEqualTo(1);
    held.close();
    assertThat(behind).isCompleted();
    behind.join().close();
    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void aFutureWithATimeOutOfTheApplicationLeavesTheQueueOfTheStore() {
    Lease theirs = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync().orTimeout(1, TimeUnit.MILLISECONDS);

    Awaitility.await().until(waiting::isCompletedExceptionally);
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(lock.info().waiters()).isEmpty());

    theirs.close();
    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void aFutureWithATimeOutOfTheApplicationLeavesTheQueueOfItsProcess() {
    Lease held = lock.acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync().orTimeout(1, TimeUnit.MILLISECONDS);

    Awaitility.await().until(waiting::isCompletedExceptionally);
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(lock.info().localWaiters()).isZero());

    held.close();
    assertThat(processes.memory.size()).isZero();
  }
}
