package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A lock that is removed from the store while one process hands it over among its threads, or keeps
 * it for its next use, and that another process is granted then: the first process learns of it
 * soon, long before its next renewal.
 */
interface StaleChainContract extends ContractFixture {

  /** Neither a renewal nor the watchdog asks the store within the test. */
  default LockConfig askedAboutByNobody() {
    return LockConfig.builder()
        .lockKey(key())
        .leaseTime(Duration.ofMinutes(30))
        .watchdogPeriod(Duration.ofMinutes(30))
        .build();
  }

  @Test
  default void aLockThatIsHandedOverAfterItsRemovalIsSoonLost() {
    DistributedLock lock = manager().getLock(askedAboutByNobody());
    aStaleChainEnds(lock::acquire, lock::acquireAsync, () -> sameLockElsewhere().tryAcquire());
  }

  @Test
  default void aFairLockThatIsHandedOverAfterItsRemovalIsSoonLost() {
    DistributedLock lock = manager().getLock(askedAboutByNobody().toBuilder().fair(true).build());
    aStaleChainEnds(
        lock::acquire, lock::acquireAsync, () -> otherManager().getFairLock(key()).tryAcquire());
  }

  @Test
  default void aWriteLockThatIsHandedOverAfterItsRemovalIsSoonLost() {
    DistributedLock lock = manager().getReadWriteLock(askedAboutByNobody(), false).writeLock();
    aStaleChainEnds(
        lock::acquire,
        lock::acquireAsync,
        () -> otherManager().getReadWriteLock(key()).writeLock().tryAcquire());
  }

  /** On a starved machine the second does not follow the first but asks the store. */
  private void aStaleChainEnds(
      Supplier<Lease> acquire,
      Supplier<CompletableFuture<Lease>> acquireAsync,
      Supplier<Optional<Lease>> tryAcquireElsewhere) {
    Lease first = acquire.get();
    CompletableFuture<Lease> coming = acquireAsync.get();
    Lease elsewhere = acquiredAfterRemoval(tryAcquireElsewhere);
    CompletableFuture<@Nullable Void> closed = first.closeAsync().exceptionally(lost -> null);
    eventually().until(closed::isDone);
    assertThat(elsewhere.isValid()).isTrue();
    elsewhere.close();

    eventually().until(coming::isDone);
    Lease second = coming.join();
    if (second.token() < elsewhere.token()) {
      eventually().until(() -> !second.isValid());
    } else {
      second.close();
    }
    try (Lease next = acquire.get()) {
      assertThat(next.token()).isGreaterThan(elsewhere.token());
    }
  }

  /**
   * The first process may notice the removal before the other one asks, and its next request is
   * granted: then that grant is removed, too.
   */
  private Lease acquiredAfterRemoval(Supplier<Optional<Lease>> tryAcquire) {
    return eventually()
        .until(
            () -> {
              store().removeByHand(key());
              return tryAcquire.get();
            },
            Optional::isPresent)
        .orElseThrow();
  }

  @Test
  default void aLockThatLingersIsSoonNotUsedAnyMoreAfterItsRemoval() {
    DistributedLock lock =
        manager().getLock(askedAboutByNobody().toBuilder().linger(Duration.ofMinutes(10)).build());
    lock.acquire().close();
    store().removeByHand(key());
    Lease elsewhere = sameLockElsewhere().acquire();

    eventually().until(() -> isTakenByAnother(lock));
    assertThat(elsewhere.isValid()).isTrue();
    elsewhere.close();
    try (Lease next = lock.acquire()) {
      assertThat(next.token()).isGreaterThan(elsewhere.token());
    }
  }

  private static boolean isTakenByAnother(DistributedLock lock) {
    if (!lock.tryLock()) {
      return true;
    }
    try {
      lock.unlock();
    } catch (LockLostException e) {
      // found out just now
    }
    return false;
  }
}
