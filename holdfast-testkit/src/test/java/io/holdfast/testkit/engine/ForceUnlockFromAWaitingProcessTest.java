package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Forcing a lock open takes it from the one who had it, and from nobody who gets it thereby. */
@Isolated
@Timeout(600)
class ForceUnlockFromAWaitingProcessTest {
  private final TwoProcesses processes = new TwoProcesses();
  private final DistributedLock lock = processes.here.getLock("k");

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void theWaiterThatIsGrantedByItKeepsItsLock() {
    Lease theirs = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = lock.acquireAsync();
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    assertThat(waiting).isNotDone();

    assertThat(lock.forceUnlock()).isTrue();

    assertThat(waiting).isCompleted();
    Lease ours = waiting.join().onLost(told::complete);
    processes.clock.advance(Duration.ofMinutes(5));
    assertThat(ours.isValid()).isTrue();
    assertThat(told).isNotDone();
    assertThat(theirs.isValid()).isFalse();
    assertThat(processes.there.getLock("k").tryAcquire()).isEmpty();
    assertThatCode(ours::close).doesNotThrowAnyException();
    assertThat(processes.memory.size()).isZero();
  }

  @Test
  void theNextInThisProcessKeepsItsLockWhenAHolderOfThisProcessIsForced() {
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    Lease first = lock.acquire().onLost(told::complete);
    CompletableFuture<Lease> waiting = lock.acquireAsync();

    assertThat(lock.forceUnlock()).isTrue();

    assertThat(told).isCompleted();
    assertThat(first.isValid()).isFalse();
    Lease second = waiting.join();
    processes.clock.advance(Duration.ofMinutes(5));
    assertThat(second.isValid()).isTrue();
    assertThatCode(second::close).doesNotThrowAnyException();
    assertThat(processes.memory.size()).isZero();
  }
}
