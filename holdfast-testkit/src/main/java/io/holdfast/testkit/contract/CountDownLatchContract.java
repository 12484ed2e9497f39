package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.LockManagerClosedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.RetryPolicy;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every engine owes the count-down latch. */
public abstract class CountDownLatchContract extends EngineContract
    implements LatchOperationContract {

  /** For subclasses. */
  protected CountDownLatchContract() {}

  private DistributedCountDownLatch latch() {
    return manager().getCountDownLatch(key());
  }

  private DistributedCountDownLatch elsewhere() {
    return otherManager().getCountDownLatch(key());
  }

  @Test
  void aLatchThatWasNeverSetIsOpen() throws Exception {
    assertThat(latch().getCount()).isZero();
    latch().await();
    assertThat(latch().await(1, TimeUnit.SECONDS)).isTrue();
    assertThat(OtherThread.get(latch().awaitAsync())).isTrue();
  }

  @Test
  void theCountIsSetOnceByWhoeverComesFirst() {
    assertThat(latch().trySetCount(2)).isTrue();
    assertThat(elsewhere().trySetCount(5)).isFalse();
    assertThat(elsewhere().getCount()).isEqualTo(2);
    open(2);
  }

  @Test
  void waitersInEveryProcessAreLetThroughAtZeroAndNotBefore() {
    latch().trySetCount(2);
    OtherThread first = otherThread();
    OtherThread second = otherThread();
    Future<Boolean> here = first.start(() -> latch().await(PATIENCE));
    Future<Boolean> there = second.start(() -> elsewhere().await(PATIENCE));
    CompletableFuture<Boolean> async = elsewhere().awaitAsync();
    eventually().until(() -> first.isWaiting() && second.isWaiting());
    assertThat(elsewhere().countDown()).isEqualTo(1);
    assertThat(here).isNotDone();
    assertThat(there).isNotDone();
    assertThat(async).isNotDone();
    assertThat(latch().countDown()).isZero();
    assertThat(OtherThread.get(here)).isTrue();
    assertThat(OtherThread.get(there)).isTrue();
    assertThat(OtherThread.get(async)).isTrue();
    assertThat(latch().getCount()).isZero();
  }

  @Test
  void nobodyMissesTheZeroHoweverCloseItIs() {
    for (int i = 0; i < 100; i++) {
      latch().trySetCount(1);
      CompletableFuture<Boolean> waiting = elsewhere().awaitAsync();
      latch().countDown();
      assertThat(OtherThread.get(waiting)).isTrue();
    }
  }

  @Test
  void manyProcessesCountDownTogether() {
    int count = 60;
    latch().trySetCount(count);
    List<Future<Boolean>> all = new ArrayList<>();
    for (LockManager manager : List.of(manager(), otherManager(), anotherManager())) {
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    for (int i = 0; i < count / 3; i++) {
                      manager.getCountDownLatch(key()).countDown();
                    }
                  }));
    }
    assertThat(OtherThread.get(latch().awaitAsync())).isTrue();
    all.forEach(OtherThread::get);
    assertThat(latch().getCount()).isZero();
  }

  @Test
  void aWaitEndsWhenItsTimeIsOverAndLeavesNothingBehind() throws Exception {
    latch().trySetCount(1);
    assertThat(elsewhere().await(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(elsewhere().await(0, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(OtherThread.get(elsewhere().awaitAsync(Duration.ofMillis(50)))).isFalse();
    CompletableFuture<Boolean> cancelled = elsewhere().awaitAsync();
    cancelled.cancel(false);
    open(1);
  }

  @Test
  void anInterruptEndsTheWait() {
    latch().trySetCount(1);
    OtherThread other = otherThread();
    Future<Boolean> waiting = other.startRun(() -> elsewhere().await());
    eventually().until(other::isWaiting);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    open(1);
  }

  @Test
  void aThreadThatIsInterruptedAlreadyDoesNotPassWhetherTheLatchIsOpenOrNot() {
    List<OtherThread.Action> calls =
        List.of(
            () -> elsewhere().await(),
            () -> elsewhere().await(0, TimeUnit.SECONDS),
            () -> elsewhere().await(-1, TimeUnit.SECONDS),
            () -> elsewhere().await(PATIENCE));
    for (int count = 0; count <= 1; count++) {
      for (OtherThread.Action call : calls) {
        Future<Boolean> interrupted =
            otherThread()
                .startRun(
                    () -> {
                      Thread.currentThread().interrupt();
                      call.run();
                    });
        assertThatThrownBy(() -> OtherThread.get(interrupted))
            .hasCauseInstanceOf(InterruptedException.class);
      }
      latch().trySetCount(1);
    }
    open(1);
  }

  @Test
  void anOpenLatchMayBeSetAgain() throws Exception {
    latch().trySetCount(1);
    latch().countDown();
    assertThat(latch().trySetCount(1)).isTrue();
    assertThat(elsewhere().await(20, TimeUnit.MILLISECONDS)).isFalse();
    open(1);
    latch().await();
  }

  @Test
  void closingAManagerEndsItsWaiters() {
    latch().trySetCount(1);
    LockManager closing = store().newManager().build();
    CompletableFuture<Boolean> waiting = closing.getCountDownLatch(key()).awaitAsync();
    closing.close();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .isInstanceOf(LockManagerClosedException.class);
    open(1);
  }

  @Test
  void badCountsAreRefusedAndChangeNothing() {
    for (long bad : new long[] {0, -1}) {
      assertThatThrownBy(() -> latch().trySetCount(bad))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> latch().countDown())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("below zero");
    assertThat(latch().getCount()).isZero();
  }

  @Test
  void aCountThatNotEveryStoreCanKeepIsRefusedAndChangesNothing() {
    long most = 1L << 53;
    for (long bad : new long[] {most + 1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> latch().trySetCount(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(String.valueOf(most));
      assertThatThrownBy(() -> latch().trySetCountAsync(bad))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(latch().getCount()).isZero();
    }
    assertThat(latch().trySetCount(most)).isTrue();
    assertThat(elsewhere().getCount()).isEqualTo(most);
    assertThat(elsewhere().countDown()).isEqualTo(most - 1);
    assertThat(latch().countDown()).isEqualTo(most - 2);
    assertThat(latch().info().count()).isEqualTo(most - 2);
    assertThat(latch().forceOpen()).isTrue();
  }

  @Test
  void aKeyThatIsALockCannotBeALatchAsWell() {
    manager().getLock(key()).lock();
    assertThatThrownBy(() -> elsewhere().trySetCount(1)).isInstanceOf(StoreException.class);
    manager().getLock(key()).unlock();
    latch().trySetCount(1);
    assertThatThrownBy(() -> otherManager().getLock(key()).tryLock())
        .isInstanceOf(StoreException.class);
    open(1);
  }

  @Test
  void aWaiterPassesEvenIfTheLatchIsSetAgainBeforeItLooks() {
    for (int i = 0; i < 20; i++) {
      latch().trySetCount(1);
      CompletableFuture<Boolean> waiting = elsewhere().awaitAsync();
      CompletableFuture<Boolean> here = latch().awaitAsync();
      assertThat(elsewhere().getCount())
          .isEqualTo(1); // the waiters' own questions came before this
      latch().getCount();
      latch().countDown();
      latch().trySetCount(1);
      assertThat(OtherThread.get(waiting)).isTrue();
      assertThat(OtherThread.get(here)).isTrue();
      open(1);
    }
  }

  @Test
  void aPolicyThatGivesUpIsNotMistakenForAnOpenLatch() {
    LockManager hasty =
        store()
            .newManager()
            .defaults(LockConfig.builder().retryPolicy(RetryPolicy.failFast()).build())
            .build();
    latch().trySetCount(1);
    assertThatThrownBy(() -> hasty.getCountDownLatch(key()).await())
        .isInstanceOf(LockTimeoutException.class);
    hasty.close();
    open(1);
  }

  private void open(int count) {
    for (int i = 0; i < count; i++) {
      latch().countDown();
    }
  }
}
