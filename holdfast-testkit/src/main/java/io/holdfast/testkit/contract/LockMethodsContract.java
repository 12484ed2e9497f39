package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockInfo;
import io.holdfast.LockTimeoutException;
import io.holdfast.RetryPolicy;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every method of the lock, as a caller would use it. */
interface LockMethodsContract extends ContractFixture {

  @Test
  default void aLockedLockIsBusyForOthersUntilItIsUnlocked() {
    DistributedLock lock = lock();
    lock.lock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(lock.getHoldCount()).isEqualTo(1);
    assertThat(lock.isLocked()).isTrue();
    assertThat(sameLockElsewhere().isLocked()).isTrue();
    assertThat(sameLockElsewhere().isHeldByCurrentThread()).isFalse();
    assertThat(sameLockElsewhere().tryLock()).isFalse();

    lock.unlock();
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(lock.isLocked()).isFalse();
    assertThat(sameLockElsewhere().tryLock()).isTrue();
    sameLockElsewhere().unlock();
  }

  @Test
  default void anotherThreadOfTheSameProcessIsAnotherOwner() {
    DistributedLock lock = lock();
    lock.lock();
    OtherThread other = otherThread();
    assertThat(other.check(() -> lock.tryLock())).isFalse();
    assertThat(other.check(lock::isHeldByCurrentThread)).isFalse();
    assertThat(other.call(lock::getHoldCount)).isZero();
    lock.unlock();
    assertThat(other.check(() -> lock.tryLock())).isTrue();
    other.run(lock::unlock);
  }

  @Test
  default void theSameThreadMayEnterAgainAndOnlyTheLastUnlockFrees() {
    DistributedLock lock = lock();
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    manager().getLock(key()).lock(); // another object, the same lock
    assertThat(lock.getHoldCount()).isEqualTo(3);
    lock.unlock();
    lock.unlock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(sameLockElsewhere().tryLock()).isFalse();
    lock.unlock();
    assertThat(sameLockElsewhere().tryLock()).isTrue();
    sameLockElsewhere().unlock();
  }

  @Test
  default void a256thEntryIsAnErrorAndTheOthersStay() {
    DistributedLock lock = lock();
    for (int i = 0; i < 255; i++) {
      lock.lock();
    }
    assertThatThrownBy(lock::lock).isInstanceOf(Error.class).hasMessageContaining("255");
    assertThat(lock.getHoldCount()).isEqualTo(255);
    for (int i = 0; i < 255; i++) {
      lock.unlock();
    }
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  default void aWaiterGetsTheLockWhenItIsUnlockedInAnotherProcess() {
    sameLockElsewhere().lock();
    DistributedLock lock = lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(lock::lock);
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    assertThat(waiting).isNotDone();

    sameLockElsewhere().unlock();
    OtherThread.get(waiting);
    assertThat(sameLockElsewhere().isLocked()).isTrue();
    other.run(lock::unlock);
    assertThat(sameLockElsewhere().isLocked()).isFalse();
  }

  @Test
  default void aTimedTryReturnsFalseWhenTheTimeIsOverAndLeavesTheQueue() throws Exception {
    sameLockElsewhere().lock();
    long start = System.nanoTime();
    assertThat(lock().tryLock(150, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(149));
    eventually().until(() -> sameLockElsewhere().info().waiters().isEmpty());
    sameLockElsewhere().unlock();
    assertThat(lock().tryLock(0, TimeUnit.SECONDS)).isTrue();
    lock().unlock();
  }

  @Test
  default void aTimedTryReturnsTrueWhenTheLockComesFreeInTime() {
    sameLockElsewhere().lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.start(() -> lock().tryLock(PATIENCE));
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    sameLockElsewhere().unlock();
    assertThat(OtherThread.get(waiting)).isTrue();
    other.run(() -> lock().unlock());
  }

  @Test
  default void aTimedTryAlsoEndsInTimeBehindAThreadOfTheSameProcess() throws Exception {
    OtherThread other = otherThread();
    other.run(() -> lock().lock());
    assertThat(lock().tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    other.run(() -> lock().unlock());
  }

  @Test
  default void anInterruptEndsAnInterruptibleWaitForAnotherProcess() {
    sameLockElsewhere().lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> lock().lockInterruptibly());
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    eventually().until(() -> sameLockElsewhere().info().waiters().isEmpty());
    sameLockElsewhere().unlock();
    assertThat(lock().tryLock()).isTrue();
    lock().unlock();
  }

  @Test
  default void anInterruptEndsAnInterruptibleWaitForAnotherThread() {
    lock().lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.start(() -> lock().tryLock(PATIENCE));
    eventually().until(() -> lock().info().localWaiters() == 1);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    lock().unlock();
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void aThreadThatIsInterruptedAlreadyDoesNotGetTheLockInterruptibly() {
    OtherThread other = otherThread();
    Future<Boolean> interrupted =
        other.startRun(
            () -> {
              Thread.currentThread().interrupt();
              lock().lockInterruptibly();
            });
    assertThatThrownBy(() -> OtherThread.get(interrupted))
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(lock().isLocked()).isFalse();
  }

  @Test
  default void lockIgnoresAnInterruptAndKeepsItForTheCaller() {
    sameLockElsewhere().lock();
    OtherThread other = otherThread();
    Future<Boolean> locked =
        other.start(
            () -> {
              lock().lock();
              boolean interrupted = Thread.interrupted();
              lock().unlock();
              return interrupted;
            });
    eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
    other.interrupt();
    sameLockElsewhere().unlock();
    assertThat(OtherThread.get(locked)).isTrue();
  }

  @Test
  default void unlockByAThreadThatDoesNotHoldTheLockIsAnErrorAndChangesNothing() {
    assertThatThrownBy(() -> lock().unlock())
        .isExactlyInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining(key())
        .hasMessageContaining("no thread of this process holds it");
    OtherThread other = otherThread();
    other.run(() -> lock().lock());
    assertThatThrownBy(() -> lock().unlock())
        .isExactlyInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining(other.thread().getName());
    assertThatThrownBy(() -> sameLockElsewhere().unlock())
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(other.check(() -> lock().isHeldByCurrentThread())).isTrue();
    other.run(() -> lock().unlock());
  }

  @Test
  default void thereAreNoConditions() {
    assertThatThrownBy(() -> lock().newCondition())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  default void infoTellsWhoHoldsTheLockSinceWhenUntilWhenAndWhoWaits() {
    DistributedLock lock = lock();
    assertThat(lock.info().isLocked()).isFalse();
    lock.lock();
    lock.lock();
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> sameLockElsewhere().lock());
    eventually().until(() -> lock.info().waiters().size() == 1);

    LockInfo info = lock.info();
    LockInfo.Holder holder = info.holder().orElseThrow();
    assertThat(holder.application()).isEqualTo("first");
    assertThat(holder.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(holder.host()).isNotBlank();
    assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
    assertThat(holder.holdCount()).isEqualTo(2);
    assertThat(holder.token()).isEqualTo(lock.fencingToken());
    assertThat(holder.remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(30));
    assertThat(info.waiters().get(0).application()).isEqualTo("second");
    assertThat(info.waiters().get(0).thread()).isEqualTo(other.thread().getName());
    assertThat(info.waiters().get(0).since()).isAfterOrEqualTo(holder.since());
    assertThat(info.toString()).contains(key(), "first", "second", "token");

    LockInfo elsewhere = sameLockElsewhere().info();
    assertThat(elsewhere.holder().orElseThrow().application()).isEqualTo("first");
    assertThat(elsewhere.holder().orElseThrow().owner()).isEqualTo(holder.owner());

    lock.unlock();
    lock.unlock();
    OtherThread.get(waiting);
    other.run(() -> sameLockElsewhere().unlock());
    assertThat(lock.info().isLocked()).isFalse();
    assertThat(lock.info().waiters()).isEmpty();
  }

  @Test
  default void remainingLeaseIsThatOfTheHolderAndZeroWhenFree() {
    assertThat(lock().remainingLease()).isZero();
    lock().lock(25, TimeUnit.SECONDS);
    assertThat(lock().remainingLease()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(25));
    assertThat(sameLockElsewhere().remainingLease())
        .isBetween(Duration.ofMillis(1), Duration.ofSeconds(25));
    lock().unlock();
  }

  @Test
  default void aPolicyOfOneTryMakesLockFailAtOnceAndNameTheHolder() {
    sameLockElsewhere().lock();
    DistributedLock hasty =
        manager()
            .getLock(
                LockConfig.builder().lockKey(key()).retryPolicy(RetryPolicy.failFast()).build());
    assertThatThrownBy(hasty::lock)
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining("second")
        .hasMessageContaining("token");
    assertThat(sameLockElsewhere().info().waiters()).isEmpty();
    sameLockElsewhere().unlock();
    hasty.lock();
    hasty.unlock();
  }

  @Test
  default void aPolicyWithALimitOfTriesGivesUpAfterThemAndLeavesTheQueue() throws Exception {
    sameLockElsewhere().lock();
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(20)).maxTries(3).spins(1);
    DistributedLock lock =
        manager().getLock(LockConfig.builder().lockKey(key()).retryPolicy(policy).build());
    long start = System.nanoTime();
    assertThat(lock.tryLock(Duration.ofHours(1))).isFalse();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(30));
    eventually().until(() -> sameLockElsewhere().info().waiters().isEmpty());
    sameLockElsewhere().unlock();
  }

  @Test
  default void executeRunsUnderTheLockAndGivesItBack() throws Exception {
    String result =
        manager()
            .execute(
                key(),
                -1,
                5,
                () -> {
                  assertThat(lock().isHeldByCurrentThread()).isTrue();
                  assertThat(sameLockElsewhere().tryLock()).isFalse();
                  return "done";
                });
    assertThat(result).isEqualTo("done");
    assertThat(lock().isLocked()).isFalse();
  }
}
