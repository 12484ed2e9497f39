package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.spi.ReleaseResult;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.engine.InterceptedStore.HeldCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A thread that releases a fair lock joins the queue of the store for the next thread of its
 * process. That one may go away, or be granted the lock, before the release has an answer.
 */
@Isolated
@Timeout(600)
class SuccessorTest {
  private final TwoProcesses processes = new TwoProcesses();
  private final OtherThread leaving = new OtherThread("leaving");
  private final OtherThread next = new OtherThread("next");
  private final DistributedLock lock = processes.here.getFairLock("k");
  private Future<Boolean> waiting = new CompletableFuture<>();
  private CompletableFuture<Lease> elsewhere = new CompletableFuture<>();
  private Future<Boolean> unlocking = new CompletableFuture<>();

  @BeforeEach
  void oneHoldsAndOneWaitsHereAndOneElsewhere() {
    leaving.run(lock::lock);
    elsewhere = processes.there.getFairLock("k").acquireAsync();
    waiting = next.startRun(lock::lockInterruptibly);
    Awaitility.await().until(() -> lock.info().localWaiters() == 1 && next.isWaiting());
  }

  @AfterEach
  void close() {
    processes.close();
    leaving.close();
    next.close();
  }

  private HeldCall unlockWithoutAnAnswer() {
    HeldCall release = processes.store.holdNext("release");
    unlocking = leaving.startRun(lock::unlock);
    Awaitility.await().until(release::isCaught);
    return release;
  }

  private void nextIsInterrupted() {
    next.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void itHasAPlaceInTheQueueWhenTheReleaseArrives() {
    HeldCall release = unlockWithoutAnAnswer();
    assertThat(lock.info().waiters()).hasSize(2);
    release.letGo();
    OtherThread.get(unlocking);
    elsewhere.join().close();
    OtherThread.get(waiting);
    assertThat(next.check(lock::isHeldByCurrentThread)).isTrue();
    next.run(lock::unlock);
    assertFree();
  }

  @Test
  void itsPlaceIsGivenUpIfItHasGoneAway() {
    HeldCall release = unlockWithoutAnAnswer();
    nextIsInterrupted();
    release.letGo();
    OtherThread.get(unlocking);
    assertThat(lock.info().waiters()).isEmpty();
    elsewhere.join().close();
    assertFree();
  }

  @Test
  void itHoldsTheLockEvenIfTheReleaseBeforeItHasNoAnswer() {
    HeldCall release = unlockWithoutAnAnswer();
    release.execute();
    elsewhere.join().close();
    OtherThread.get(waiting);
    assertThat(next.check(lock::isHeldByCurrentThread)).isTrue();
    release.answer(new ReleaseResult.Released());
    OtherThread.get(unlocking);
    next.run(lock::unlock);
    assertFree();
  }

  @Test
  void whatItIsGrantedIsGivenBackIfItHasGoneAway() {
    HeldCall release = unlockWithoutAnAnswer();
    nextIsInterrupted();
    release.execute();
    elsewhere.join().close();
    assertFreeElsewhere();
    release.answer(new ReleaseResult.Released());
    OtherThread.get(unlocking);
    assertFree();
  }

  @Test
  void anotherThatWantsTheSameTakesItsPlace() {
    HeldCall release = unlockWithoutAnAnswer();
    try (OtherThread third = new OtherThread("third")) {
      Future<Boolean> alsoWaiting = third.startRun(lock::lock);
      Awaitility.await().until(() -> lock.info().localWaiters() == 2);
      nextIsInterrupted();
      release.letGo();
      OtherThread.get(unlocking);
      assertThat(lock.info().waiters()).hasSize(1);
      elsewhere.join().close();
      OtherThread.get(alsoWaiting);
      third.run(lock::unlock);
    }
    assertFree();
  }

  @Test
  void anotherThatWantsSomethingElseSetsOutByItself() {
    HeldCall release = unlockWithoutAnAnswer();
    try (OtherThread third = new OtherThread("third")) {
      DistributedLock other =
          processes.here.getLock(LockConfig.builder().lockKey("k").fair(true).leaseTime(9).build());
      Future<Boolean> alsoWaiting = third.startRun(other::lock);
      Awaitility.await().until(() -> lock.info().localWaiters() == 2);
      nextIsInterrupted();
      release.letGo();
      OtherThread.get(unlocking);
      elsewhere.join().close();
      OtherThread.get(alsoWaiting);
      third.run(other::unlock);
    }
    assertFree();
  }

  @Test
  void aLateAnswerPutsNobodyElseOutOfTheGate() {
    HeldCall release = unlockWithoutAnAnswer();
    release.execute();
    elsewhere.join().close();
    OtherThread.get(waiting);
    next.run(lock::unlock);
    for (int i = 2; i < 65_536; i++) { // until the gate has come to the same number again
      assertThat(lock.tryLock()).isTrue();
      lock.unlock();
    }
    next.run(lock::lock);
    release.answer(new ReleaseResult.Released());
    OtherThread.get(unlocking);
    assertThat(lock.tryLock()).as("a second thread has it, too").isFalse();
    assertThat(next.check(lock::isHeldByCurrentThread)).isTrue();
    next.run(lock::unlock);
  }

  @Test
  void whoWaitsIsCountedOnce() {
    assertThat(processes.here.health().waiting()).isEqualTo(1);
    HeldCall release = unlockWithoutAnAnswer();
    assertThat(processes.here.health().waiting()).isEqualTo(1);
    release.letGo();
  }

  @Test
  void whatFailsOnTheWayToTheStoreDoesNotKeepTheGate() {
    processes.store.on(
        "releaseAndAcquire",
        call -> {
          throw new IllegalStateException("refused, on purpose");
        });
    leaving.run(lock::unlock);
    processes.store.passAll();
    elsewhere.join().close();
    OtherThread.get(waiting);
    next.run(lock::unlock);
    assertFree();
  }

  private void assertFree() {
    assertThat(lock.tryLock()).as("free here").isTrue();
    lock.unlock();
    assertFreeElsewhere();
  }

  private void assertFreeElsewhere() {
    DistributedLock there = processes.there.getFairLock("k");
    assertThat(there.tryLock()).as("free elsewhere").isTrue();
    there.unlock();
  }
}
