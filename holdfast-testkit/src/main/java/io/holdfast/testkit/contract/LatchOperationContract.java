package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.LatchInfo;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.metrics.MetricsSnapshot;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What people who run it see of a latch, and may do to it. */
interface LatchOperationContract extends ContractFixture {

  private DistributedCountDownLatch latch() {
    return manager().getCountDownLatch(key());
  }

  private DistributedCountDownLatch elsewhere() {
    return otherManager().getCountDownLatch(key());
  }

  private void waiting(int number) {
    eventually().untilAsserted(() -> assertThat(latch().info().waiters()).hasSize(number));
  }

  // ---- looking

  @Test
  default void aLookSaysTheCountAndWhoWaits() {
    latch().trySetCount(2);
    Instant before = Instant.now();
    OtherThread thread = otherThread();
    Future<Boolean> there = thread.start(() -> elsewhere().await(PATIENCE));
    CompletableFuture<Boolean> here = latch().awaitAsync();
    waiting(2);

    LatchInfo info = latch().info();
    assertThat(info.key()).isEqualTo(key());
    assertThat(info.count()).isEqualTo(2);
    assertThat(info.isOpen()).isFalse();
    assertThat(info.waiters())
        .extracting(LockInfo.Waiter::application)
        .containsExactlyInAnyOrder("first", "second");
    LockInfo.Waiter second =
        info.waiters().stream().filter(each -> each.application().equals("second")).toList().get(0);
    assertThat(second.thread()).isEqualTo(thread.thread().getName());
    assertThat(second.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(second.host()).isNotBlank();
    assertThat(second.owner()).isNotBlank();
    assertThat(second.since()).isBetween(before.minusSeconds(5), Instant.now().plusSeconds(5));
    assertThat(info.toString())
        .contains("latch '" + key() + "' is closed with a count of 2")
        .contains("second, process " + second.pid())
        .contains("thread '" + second.thread() + "'");

    latch().countDown();
    assertThat(elsewhere().info().count()).isEqualTo(1);
    assertThat(elsewhere().info().waiters()).hasSize(2);
    latch().countDown();
    assertThat(OtherThread.get(there)).isTrue();
    assertThat(OtherThread.get(here)).isTrue();
    assertThat(latch().info()).isEqualTo(new LatchInfo(key(), 0, List.of()));
  }

  @Test
  default void aLookAtALatchThatWasNeverSetSaysThatItIsOpen() {
    LatchInfo info = latch().info();
    assertThat(info.isOpen()).isTrue();
    assertThat(info.waiters()).isEmpty();
    assertThat(info.toString()).contains("is open");
  }

  @Test
  default void whoHasGivenUpIsNotShownAnyMore() throws Exception {
    latch().trySetCount(1);
    CompletableFuture<Boolean> stays = latch().awaitAsync();
    CompletableFuture<Boolean> cancelled = elsewhere().awaitAsync();
    LockManager closing = store().newManager().application("third").build();
    CompletableFuture<Boolean> closed = closing.getCountDownLatch(key()).awaitAsync();
    waiting(3);
    assertThat(elsewhere().await(Duration.ofMillis(20))).isFalse();
    cancelled.cancel(false);
    closing.close();
    waiting(1);
    assertThat(closed).isCompletedExceptionally();
    assertThat(latch().info().waiters().get(0).application()).isEqualTo("first");
    latch().countDown();
    assertThat(OtherThread.get(stays)).isTrue();
  }

  @Test
  default void onlyThoseWhoWaitForTheNewCountAreShown() {
    for (int i = 0; i < 10; i++) {
      latch().trySetCount(1);
      CompletableFuture<Boolean> old = elsewhere().awaitAsync();
      waiting(1);
      latch().countDown();
      latch().trySetCount(1);
      assertThat(latch().info().waiters()).isEmpty();
      assertThat(OtherThread.get(old)).isTrue();
      latch().countDown();
    }
  }

  // ---- opening by hand

  @Test
  default void aLatchCanBeForcedOpenWhateverItsCount() {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    latch().trySetCount(1000);
    OtherThread thread = otherThread();
    Future<Boolean> there = thread.start(() -> elsewhere().await(PATIENCE));
    CompletableFuture<Boolean> here = latch().awaitAsync();
    waiting(2);

    try (LockManager operator = store().newManager().listener(events::add).build()) {
      assertThat(operator.getCountDownLatch(key()).forceOpen()).isTrue();
      assertThat(OtherThread.get(there)).isTrue();
      assertThat(OtherThread.get(here)).isTrue();
      assertThat(operator.getCountDownLatch(key()).forceOpen()).as("open by now").isFalse();
    }
    assertThat(latch().getCount()).isZero();
    assertThat(events)
        .extracting(event -> event.kind() + " " + event.key() + " " + event.detail())
        .containsExactly("FORCED " + key() + " latch");
    assertThatThrownBy(() -> latch().countDown()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  default void aLatchThatIsOpenIsNotForced() {
    assertThat(latch().forceOpen()).isFalse();
    latch().trySetCount(1);
    latch().countDown();
    assertThat(latch().forceOpen()).isFalse();
  }

  @Test
  default void whoWaitedPassesEvenIfAForcedLatchIsSetAgainBeforeItLooks() {
    for (int i = 0; i < 20; i++) {
      latch().trySetCount(3);
      CompletableFuture<Boolean> there = elsewhere().awaitAsync();
      CompletableFuture<Boolean> here = latch().awaitAsync();
      waiting(2);
      assertThat(elsewhere().forceOpen()).isTrue();
      assertThat(latch().trySetCount(2)).isTrue();
      assertThat(OtherThread.get(there)).isTrue();
      assertThat(OtherThread.get(here)).isTrue();
      assertThat(latch().getCount()).as("of the new round").isEqualTo(2);
      assertThat(latch().forceOpen()).isTrue();
    }
  }

  @Test
  default void ofManyWhoForceItOneHasOpenedIt() {
    for (int i = 0; i < 10; i++) {
      latch().trySetCount(5);
      OtherThread thread = otherThread();
      Future<Boolean> there = thread.start(() -> elsewhere().forceOpen());
      boolean here = latch().forceOpen();
      assertThat(here ^ OtherThread.get(there)).isTrue();
    }
  }

  @Test
  default void whatIsALockIsNeitherShownNorForcedOpenAsALatch() {
    lock().lock();
    assertThatThrownBy(() -> elsewhere().forceOpen()).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> elsewhere().info()).isInstanceOf(StoreException.class);
    assertThat(lock().isHeldByCurrentThread()).isTrue();
    assertThat(sameLockElsewhere().isLocked()).isTrue();
    lock().unlock();
  }

  // ---- without blocking

  @Test
  default void everythingThatCountsCanBeDoneWithoutBlocking() {
    assertThat(OtherThread.get(latch().trySetCountAsync(2))).isTrue();
    assertThat(OtherThread.get(elsewhere().trySetCountAsync(9))).isFalse();
    CompletableFuture<Boolean> passed = elsewhere().awaitAsync();
    assertThat(OtherThread.get(elsewhere().countDownAsync())).isEqualTo(1);
    assertThat(passed).isNotDone();
    assertThat(OtherThread.get(latch().countDownAsync())).isZero();
    assertThat(OtherThread.get(passed)).isTrue();
    assertThatThrownBy(() -> OtherThread.get(latch().countDownAsync()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("below zero");
    assertThatThrownBy(() -> latch().trySetCountAsync(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- counters, events, alerts

  @Test
  default void waitsAreCountedAndTold() throws Exception {
    InMemoryMetrics metrics = new InMemoryMetrics();
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    try (LockManager watched =
        store().newManager().metrics(metrics).listener(events::add).build()) {
      DistributedCountDownLatch latch = watched.getCountDownLatch(key());
      latch.trySetCount(1);
      assertThat(latch.await(Duration.ofMillis(30))).isFalse();
      OtherThread thread = otherThread();
      Future<Boolean> waiting = thread.start(() -> latch.await(PATIENCE));
      waiting(1);
      assertThat(watched.health().waiting()).isEqualTo(1);
      elsewhere().countDown();
      assertThat(OtherThread.get(waiting)).isTrue();
      assertThat(watched.health().waiting()).isZero();

      MetricsSnapshot.Family family = metrics.snapshot().families().values().iterator().next();
      assertThat(family.passed().count()).isEqualTo(1);
      assertThat(family.passed().max()).isPositive();
      assertThat(family.gaveUp()).isEqualTo(1);
      assertThat(family.failed()).isZero();
      eventually().until(() -> events.size() >= 2);
      assertThat(events)
          .extracting(LockEvent::kind)
          .containsExactly(LockEvent.Kind.GAVE_UP, LockEvent.Kind.PASSED);
      LockEvent passed = events.get(1);
      assertThat(passed.key()).isEqualTo(key());
      assertThat(passed.thread()).isEqualTo(thread.thread().getName());
      assertThat(passed.owner()).isNotBlank();
      assertThat(passed.duration()).isPositive();
    }
  }

  @Test
  default void aWaitThatEndsWithAFaultIsCountedAsOneAndSoIsACount() {
    InMemoryMetrics metrics = new InMemoryMetrics();
    lock().lock();
    try (LockManager watched = store().newManager().metrics(metrics).build()) {
      DistributedCountDownLatch latch = watched.getCountDownLatch(key());
      assertThatThrownBy(latch::await).isInstanceOf(StoreException.class);
      assertThatThrownBy(() -> latch.trySetCount(1)).isInstanceOf(StoreException.class);
      MetricsSnapshot.Family family = metrics.snapshot().families().values().iterator().next();
      assertThat(family.failed()).isEqualTo(1);
      assertThat(family.requestsFailed()).isEqualTo(1);
      lock().unlock(); // or closing waits for what cannot be taken back from under a lock
    }
  }

  @Test
  default void aLongWaitIsAnAlertThatSaysTheCountAndWhoWaits() {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    LockConfig impatient =
        LockConfig.builder()
            .watchdogPeriod(Duration.ofMillis(100))
            .waitAlert(Duration.ofMillis(200))
            .build();
    latch().trySetCount(7);
    try (LockManager watched =
        store()
            .newManager()
            .application("slow")
            .defaults(impatient)
            .listener(events::add)
            .build()) {
      CompletableFuture<Boolean> waiting = watched.getCountDownLatch(key()).awaitAsync();
      eventually()
          .until(() -> events.stream().anyMatch(e -> e.kind() == LockEvent.Kind.WAITING_LONG));
      LockEvent alert =
          events.stream().filter(e -> e.kind() == LockEvent.Kind.WAITING_LONG).toList().get(0);
      assertThat(alert.key()).isEqualTo(key());
      assertThat(alert.duration()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
      assertThat(alert.detail()).contains("closed with a count of 7").contains("slow, process");
      assertThat(latch().forceOpen()).isTrue();
      assertThat(OtherThread.get(waiting)).isTrue();
    }
  }
}
