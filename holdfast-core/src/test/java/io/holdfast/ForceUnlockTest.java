package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ForceUnlockTest {
  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final LockManager ours =
      LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  private final LockManager theirs =
      LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
  private final DistributedLock lock = ours.getLock("k");

  @AfterEach
  void close() {
    ours.close();
    theirs.close();
  }

  @Test
  void saysWhetherSomebodyHeldTheLock() {
    assertThat(lock.forceUnlock()).isFalse();
    assertThat(theirs.getLock("k").tryLock()).isTrue();
    assertThat(lock.forceUnlock()).isTrue();
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void tellsAHolderOfThisProcess() {
    Lease lease = lock.acquire();
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    lease.onLost(told::complete);

    lock.forceUnlock();

    assertThat(told.join().reason()).isEqualTo(LossReason.GONE_FROM_STORE);
    assertThat(lease.isValid()).isFalse();
    assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
  }

  @Test
  void leavesTheOneWhoIsNextInPeace() {
    Lease forced = theirs.getLock("k").acquire();
    CompletableFuture<Lease> next = lock.acquireAsync();
    await().until(() -> lock.info().waiters().size() == 1);

    assertThat(lock.forceUnlock()).isTrue();

    try (Lease lease = next.join()) {
      assertThat(lease.token()).isGreaterThan(forced.token());
      assertThat(lease.isValid()).as("the new holder was not forced").isTrue();
    }
  }
}
