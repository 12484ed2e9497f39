package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.StoreException;
import io.holdfast.spi.BackendException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a store refuses now it may do in a moment: giving back is repeated after refusals too. */
@Isolated
@Timeout(600)
class RefusedReleaseTest {
  private static final int REFUSALS = 4;

  /** Enough for some more tries, and far less than the lease of 30 s. */
  private static final Duration SOON = Duration.ofSeconds(2);

  private final TwoProcesses processes = new TwoProcesses();
  private final DistributedLock lock = processes.here.getLock("k");
  private final AtomicInteger tries = new AtomicInteger();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aReleaseThatIsRefusedIsRepeatedUntilItWorks() {
    lock.lock();
    CompletableFuture<Lease> next = processes.there.getLock("k").acquireAsync();
    refuseReleases();

    assertThatThrownBy(lock::unlock)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'k'")
        .hasMessageContaining("refused, on purpose");
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    processes.clock.advance(SOON);

    assertThat(tries).hasValue(REFUSALS + 1);
    assertThat(next).isCompleted();
    next.join().close();
    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void aReleaseThatIsRefusedByAnExceptionIsRepeatedUntilItWorks() {
    Lease lease = lock.acquire();
    processes.store.on(
        "release",
        call -> {
          if (tries.getAndIncrement() < REFUSALS) {
            throw refusal();
          }
          return call.proceed();
        });

    assertThatThrownBy(lease::close).isInstanceOf(StoreException.class);
    processes.clock.advance(SOON);

    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void aPlaceInTheQueueIsLeftThoughTheStoreRefusedThatAtFirst() {
    Lease theirs = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    assertThat(lock.info().waiters()).hasSize(1);
    refuseReleases();

    waiting.cancel(false);
    processes.clock.advance(SOON);

    assertThat(lock.info().waiters()).isEmpty();
    theirs.close();
    assertThat(processes.memory.size()).isZero();
  }

  private void refuseReleases() {
    processes.store.on(
        "release",
        call ->
            tries.getAndIncrement() < REFUSALS
                ? CompletableFuture.failedFuture(refusal())
                : call.proceed());
  }

  private static BackendException refusal() {
    return new BackendException("refused, on purpose", null);
  }
}
