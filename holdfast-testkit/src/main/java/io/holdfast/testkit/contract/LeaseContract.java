package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Handles: a lock that belongs to whoever has the object, taken with and without blocking. */
interface LeaseContract extends ContractFixture {

  @Test
  default void aLeaseHoldsTheLockUntilItIsClosed() {
    try (Lease lease = lock().acquire()) {
      assertThat(lease.isValid()).isTrue();
      assertThat(lease.key()).isEqualTo(key());
      assertThat(lease.token()).isPositive();
      assertThat(lease.remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(30));
      assertThat(sameLockElsewhere().tryAcquire()).isEmpty();
      assertThat(lock().isHeldByCurrentThread()).isFalse();
    }
    Optional<Lease> next = sameLockElsewhere().tryAcquire();
    assertThat(next).isPresent();
    next.orElseThrow().close();
  }

  @Test
  default void aLeaseMayBePassedToAnotherThreadAndClosedThere() {
    Lease lease = lock().acquire();
    OtherThread other = otherThread();
    assertThat(other.check(lease::isValid)).isTrue();
    other.run(lease::close);
    assertThat(lease.isValid()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void closingASecondTimeDoesNothing() {
    Lease first = lock().acquire();
    first.close();
    Lease second = lock().acquire();
    first.close();
    assertThat(second.isValid()).isTrue();
    assertThat(sameLockElsewhere().tryLock()).isFalse();
    second.close();
    second.close();
  }

  @Test
  default void twoHandlesOfOneThreadExcludeEachOther() throws Exception {
    Lease first = lock().acquire();
    assertThat(lock().tryAcquire()).isEmpty();
    assertThat(lock().tryAcquire(Duration.ofMillis(30))).isEmpty();
    first.close();
  }

  @Test
  default void aHandleForALockThatTheThreadHoldsItselfIsRefusedInsteadOfWaitingForEver() {
    lock().lock();
    assertThatThrownBy(() -> lock().acquire())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wait for itself");
    assertThat(lock().tryAcquire()).isEmpty();
    lock().unlock();
  }

  @Test
  default void codeRunsUnderTheLockWithTheTimesOfItsSentence() throws Exception {
    int holds =
        lock()
            .waitUpTo(PATIENCE)
            .leaseFor(Duration.ofMinutes(1))
            .call(
                () -> {
                  assertThat(sameLockElsewhere().tryRun(() -> {})).isFalse();
                  assertThat(lock().remainingLease()).isGreaterThan(Duration.ofSeconds(30));
                  return lock().call(() -> lock().getHoldCount());
                });
    assertThat(holds).as("reentrant").isEqualTo(2);
    assertThat(lock().isLocked()).isFalse();

    Lease held = sameLockElsewhere().acquire();
    assertThatThrownBy(() -> lock().waitUpTo(Duration.ofMillis(50)).run(() -> {}))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("token " + held.token())
        .hasMessageEndingWith("gave up after 50 ms");
    CompletableFuture<Long> token =
        lock().callAsync(lease -> CompletableFuture.completedFuture(lease.token()));
    held.close();
    assertThat(OtherThread.get(token)).isGreaterThan(held.token());
    eventually().until(() -> !lock().isLocked());
  }

  @Test
  default void anAsyncCallerGetsTheLockWhenItComesFree() throws Exception {
    sameLockElsewhere().lock();
    CompletableFuture<Lease> coming = lock().acquireAsync();
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    assertThat(coming).isNotDone();
    sameLockElsewhere().unlock();
    Lease lease = coming.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(lease.isValid()).isTrue();
    lease.closeAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void anAsyncCallerIsToldWhenItsTimeIsOver() {
    sameLockElsewhere().lock();
    CompletableFuture<Lease> elsewhere = lock().waitUpTo(Duration.ofMillis(100)).acquireAsync();
    assertThatThrownBy(() -> elsewhere.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(LockTimeoutException.class);
    CompletableFuture<Lease> atOnce = lock().noWait().acquireAsync();
    assertThatThrownBy(() -> atOnce.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockTimeoutException.class);
    sameLockElsewhere().unlock();

    lock().lock();
    CompletableFuture<Lease> behindAThread = lock().waitUpTo(Duration.ofMillis(100)).acquireAsync();
    assertThatThrownBy(() -> behindAThread.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockTimeoutException.class);
    lock().unlock();
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void aCancelledFutureLeavesTheQueueAndTheLockAlone() {
    sameLockElsewhere().lock();
    CompletableFuture<Lease> remote = lock().acquireAsync();
    CompletableFuture<Lease> behindIt = lock().acquireAsync();
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    behindIt.cancel(false);
    remote.cancel(false);
    eventually().until(() -> sameLockElsewhere().info().waiters().isEmpty());
    sameLockElsewhere().unlock();
    assertThat(lock().tryLock()).isTrue();
    lock().unlock();
  }

  @Test
  default void aFutureCancelledAtTheMomentOfTheGrantGivesTheLockBack() {
    DistributedLock elsewhere = sameLockElsewhere();
    for (int i = 0; i < 50; i++) {
      elsewhere.lock();
      CompletableFuture<Lease> coming = lock().acquireAsync();
      eventually().until(() -> elsewhere.info().waiters().size() == 1);
      elsewhere.unlock();
      coming.cancel(false);
      if (!coming.isCancelled()) {
        coming.join().close();
      }
    }
    eventually().until(() -> !elsewhere.isLocked());
  }

  @Test
  default void asyncCallersOfOneProcessAreServedInOrder() throws Exception {
    lock().lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      all.add(
          lock()
              .acquireAsync()
              .thenCompose(
                  lease -> {
                    order.add(number);
                    return lease.closeAsync();
                  }));
    }
    lock().unlock();
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(order).isSorted().hasSize(20);
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void threadsAndAsyncCallersOfOneProcessAllComeToTheirTurn() throws Exception {
    int[] counter = {0};
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(
          lock()
              .acquireAsync()
              .thenCompose(
                  lease -> {
                    counter[0]++;
                    return lease.closeAsync();
                  }));
    }
    for (int i = 0; i < 200; i++) {
      lock().lock();
      counter[0]++;
      lock().unlock();
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(counter[0]).isEqualTo(400);
  }

  @Test
  default void anInterruptEndsTheWaitForAHandle() {
    sameLockElsewhere().lock();
    OtherThread other = otherThread();
    var waiting = other.start(() -> lock().acquireInterruptibly());
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    sameLockElsewhere().unlock();
  }

  @Test
  default void closingALostLeaseAsynchronouslyReportsTheLoss() {
    Lease lease = quickLock(manager()).acquire();
    store().removeByHand(key());
    eventually().until(() -> !lease.isValid());
    assertThatThrownBy(() -> lease.closeAsync().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(LockLostException.class);
  }
}
