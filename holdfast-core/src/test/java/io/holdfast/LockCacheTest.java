package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What a manager remembers of its locks, seen through {@link LockManager#knownLocks()}. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry") // locks are left on purpose
@Isolated
class LockCacheTest {
  private final MemoryStore store = new MemoryStore(TimeSource.system());
  private final LockManager manager =
      LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void lockObjectsWithTheSameKeyAreTheSameLock() {
    manager.getLock("k").lock();

    assertThat(manager.getLock("k").isHeldByCurrentThread()).isTrue();
    assertThat(manager.getFairLock("k").getHoldCount()).isEqualTo(1);
    manager.getFairLock("k").unlock();
    assertThat(manager.getLock("k").isLocked()).isFalse();
  }

  @Test
  void locksThatNobodyUsesAreForgotten() {
    for (int i = 0; i < 10_000; i++) {
      manager.getLock("unused-" + i);
    }
    for (int i = 0; i < 100; i++) {
      try (Lease lease = manager.getLock("used-" + i).acquire()) {
        assertThat(lease.isValid()).isTrue();
      }
    }

    awaitCollected(0);
  }

  @Test
  void aLockThatTheApplicationKeepsIsKept() {
    DistributedLock kept = manager.getLock("kept");
    manager.getLock("not kept");

    awaitCollected(1);

    kept.lock();
    assertThat(manager.getLock("kept").isHeldByCurrentThread()).isTrue();
    kept.unlock();
  }

  @Test
  void aLockHeldByAThreadIsNeverForgottenEvenIfTheApplicationKeepsNoReference() {
    manager.getLock("held").lock();
    manager.getLock("not held");

    awaitCollected(1);

    assertThat(manager.getLock("held").isHeldByCurrentThread()).isTrue();
    assertThat(manager.getLock("held").getHoldCount()).isEqualTo(1);
    manager.getLock("held").unlock();
    assertThat(store.size()).isZero();
  }

  @Test
  void aLockHeldByAHandleThatWasDroppedIsNeverForgotten() {
    long token = manager.getLock("held").acquire().token();
    manager.getLock("not held");

    awaitCollected(1);

    assertThat(manager.getLock("held").tryAcquire()).isEmpty();
    assertThat(manager.getLock("held").info().holder().orElseThrow().token()).isEqualTo(token);
  }

  @Test
  void aLockThatIsWaitedForElsewhereIsNotForgotten() {
    try (LockManager other =
        LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build()) {
      Lease theirs = other.getLock("k").acquire();
      CompletableFuture<Lease> waiting = manager.getLock("k").acquireAsync();
      manager.getLock("not waited for");

      awaitCollected(1);
      theirs.close();

      waiting.join().close();
    }
  }

  @Test
  void aListenerForLossesIsKeptAlthoughNobodyKeepsTheLock() {
    CompletableFuture<LockLoss> told = new CompletableFuture<>();
    manager.getLock("k").onLost(told::complete);
    manager.getLock("not listened to");
    awaitCollected(1);

    manager.getLock("k").lock(50, TimeUnit.MILLISECONDS);

    assertThat(told).succeedsWithin(Duration.ofMinutes(2));
  }

  @Test
  void aListenerThatIsGoneDoesNotKeepTheLock() {
    manager.getLock("k").onLost(loss -> {}).close();

    awaitCollected(0);
  }

  @Test
  void whoeverLostALockHearsOfItAlthoughNobodyKeptIt() {
    manager.getLock("k").lock(50, TimeUnit.MILLISECONDS);
    await().until(() -> !manager.getLock("k").isHeldByCurrentThread());
    System.gc();

    assertThatThrownBy(() -> manager.getLock("k").unlock()).isInstanceOf(LockLostException.class);
  }

  @Test
  void aLockThatIsHeldCannotBeDestroyed() {
    manager.getLock("k").lock();

    assertThatThrownBy(() -> manager.destroyLock("k"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "lock 'k' is held or waited for in this process; unlock it before it is destroyed");

    assertThat(manager.getLock("k").isHeldByCurrentThread()).isTrue();
    manager.getLock("k").unlock();
  }

  @Test
  void aLockThatIsWaitedForCannotBeDestroyed() throws Exception {
    try (LockManager other =
        LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build()) {
      Lease theirs = other.getLock("k").acquire();
      Future<Void> waiting =
          onAnotherThread(
              () -> {
                manager.getLock("k").lock();
                manager.getLock("k").unlock();
              });
      await().until(() -> other.getLock("k").info().waiters().size() == 1);

      assertThatThrownBy(() -> manager.destroyLock("k")).isInstanceOf(IllegalStateException.class);

      theirs.close();
      waiting.get();
    }
  }

  @Test
  void aLockThatIsNotHeldCanBeDestroyedAndStaysTheSameLockForWhoeverKeptIt() {
    DistributedLock kept = manager.getLock("k");

    manager.destroyLock("k");
    manager.destroyLock("k");
    manager.destroyLock("never seen");

    kept.lock();
    assertThat(manager.getLock("k").tryLock()).as("still reentrant").isTrue();
    kept.unlock();
    kept.unlock();
  }

  private void awaitCollected(int left) {
    await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              System.gc();
              return manager.knownLocks() == left;
            });
  }

  private static Future<Void> onAnotherThread(Runnable action) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              action.run();
              return null;
            });
    new Thread(task).start();
    return task;
  }
}
