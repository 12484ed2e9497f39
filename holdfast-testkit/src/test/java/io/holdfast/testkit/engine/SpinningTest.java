package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.RetryPolicy;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A store that answers at once must not turn tries without a delay into a deep recursion. */
@Isolated
@Timeout(600)
class SpinningTest {
  private static final LockConfig SPINNING =
      LockConfig.builder().lockKey("k").retryPolicy(RetryPolicy.standard().spins(50_000)).build();

  @Test
  void aWaiterThatSpinsManyTimesWaitsInTheQueueAfterwardsAndGetsTheLock() {
    try (TwoProcesses processes = new TwoProcesses()) {
      Lease theirs = processes.there.getLock("k").acquire();
      CompletableFuture<Lease> waiting = processes.here.getLock(SPINNING).acquireAsync();
      processes.clock.advance(Duration.ZERO);
      assertThat(waiting).isNotDone();
      assertThat(processes.there.getLock("k").info().waiters()).hasSize(1);
      theirs.close();
      assertThat(waiting).isCompleted();
      waiting.join().close();
      assertThat(processes.memory.size()).isZero();
    }
  }

  @Test
  void aThreadThatSpinsManyTimesGetsTheLock() {
    MemoryStore store = new MemoryStore(TimeSource.system());
    try (LockManager here = manager(store);
        LockManager there = manager(store);
        OtherThread spinner = new OtherThread("spinner")) {
      Lease theirs = there.getLock("k").acquire();
      Future<Boolean> waiting = spinner.startRun(() -> here.getLock(SPINNING).lock());
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> there.getLock("k").info().waiters().size() == 1);
      theirs.close();
      OtherThread.get(waiting);
      spinner.run(() -> here.getLock(SPINNING).unlock());
    }
  }

  private static LockManager manager(MemoryStore store) {
    return LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  }
}
