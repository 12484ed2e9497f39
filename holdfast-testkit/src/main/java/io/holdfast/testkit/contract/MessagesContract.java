package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What is said to the caller calls each primitive by its kind. */
interface MessagesContract extends ContractFixture {

  @Test
  default void aClosedManagerSaysWhatCannotBeUsed() {
    LockManager closed = anotherManager();
    DistributedLock several = closed.getMultiLock(key() + ":a", key() + ":b");
    closed.close();
    Map<String, ThrowingCallable> uses =
        Map.of(
            "lock '" + key() + "'",
            () -> closed.getLock(key()),
            "read-write lock '" + key() + "'",
            () -> closed.getReadWriteLock(key()),
            "semaphore '" + key() + "'",
            () -> closed.getSemaphore(key(), 1),
            "latch '" + key() + "'",
            () -> closed.getCountDownLatch(key()),
            "multi-lock '" + key() + ":a + " + key() + ":b'",
            several::lock);
    uses.forEach(
        (what, use) ->
            assertThatThrownBy(use)
                .isInstanceOf(LockManagerClosedException.class)
                .hasMessageStartingWith(what));
  }

  @Test
  default void whoDoesNotGetItIsToldWhatItWas() {
    DistributedSemaphore semaphore = manager().getSemaphore(key() + ":s", 1);
    DistributedReadWriteLock readWrite = manager().getReadWriteLock(key() + ":rw");
    DistributedLock lock = manager().getLock(key() + ":l");
    DistributedLock several = otherManager().getMultiLock(key() + ":k", key() + ":l");
    Duration wait = Duration.ofMillis(50);
    try (Lease permit = semaphore.acquire();
        Lease written = readWrite.writeLock().acquire();
        Lease locked = lock.acquire()) {
      assertTimesOut(
          "semaphore",
          otherManager().getSemaphore(key() + ":s", 1).permits(1).waitUpTo(wait).acquireAsync());
      assertTimesOut(
          "read-write lock",
          otherManager().getReadWriteLock(key() + ":rw").readLock().waitUpTo(wait).acquireAsync());
      assertTimesOut("lock", otherManager().getLock(key() + ":l").waitUpTo(wait).acquireAsync());
      assertThat(semaphore.info().toString()).startsWith("semaphore '" + permit.key() + "' is");
      assertThat(readWrite.writeLock().info().toString())
          .startsWith("read-write lock '" + written.key() + "' is");
      assertThat(lock.info().toString()).startsWith("lock '" + locked.key() + "' is");
      assertThat(several.info().toString()).startsWith("multi-lock '" + key() + ":k + ");
    }
  }

  private static void assertTimesOut(String kind, CompletableFuture<Lease> future) {
    assertThatThrownBy(future::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageStartingWith(kind + " '");
  }

  @Test
  default void aLossSaysWhatWasLost() throws InterruptedException {
    for (String kind : List.of("lock", "read-write lock", "semaphore")) {
      String key = key() + ":" + kind;
      CompletableFuture<LockLoss> told = new CompletableFuture<>();
      Lease lease =
          switch (kind) {
            case "lock" -> manager().getLock(key).leaseFor(SHORT_LEASE).acquire();
            case "semaphore" ->
                manager().getSemaphore(key, 1).permits(1).leaseFor(SHORT_LEASE).acquire();
            default -> manager().getReadWriteLock(key).writeLock().leaseFor(SHORT_LEASE).acquire();
          };
      lease.onLost(told::complete);
      LockLoss loss = told.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
      assertThat(loss.toString()).startsWith(kind + " '" + key + "' (token ");
    }
  }
}
