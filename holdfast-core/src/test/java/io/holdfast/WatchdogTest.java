package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockEvent.Kind;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks of the watchdog, on a clock that the test moves. */
@Timeout(600)
@SuppressWarnings("LockNotBeforeTry") // what happens without is what is tested
class WatchdogTest {
  private static final Duration PERIOD = Duration.ofSeconds(5);

  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final LockManager manager = manager("ours");
  private final LockManager theirs = manager("theirs");

  private LockManager manager(String name) {
    return time.drive(LockManager.builder("memory:"))
        .engine(store)
        .application(name)
        .listener(name.equals("ours") ? events::add : event -> {})
        .build();
  }

  @AfterEach
  void close() {
    manager.close();
    theirs.close();
  }

  private static LockConfigBuilder config() {
    return LockConfig.builder().lockKey("k").watchdogPeriod(PERIOD);
  }

  private LockEvent awaitEvent(Kind kind) {
    return await()
        .until(
            () -> events.stream().filter(event -> event.kind() == kind).findFirst().orElse(null),
            event -> event != null);
  }

  private long count(Kind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  // ---- renewal

  @Test
  void aRenewalThatGotNoAnswerAtAllIsStartedAnew() {
    DistributedLock lock = manager.getLock(config().build());
    lock.lock();
    store.answer("renew", call -> new CompletableFuture<>()); // never completes
    time.advance(Duration.ofSeconds(11));
    store.answerNormally("renew");
    time.advance(Duration.ofSeconds(30));

    assertThat(lock.isHeldByCurrentThread()).as("renewed in time").isTrue();
    assertThat(awaitEvent(Kind.RECOVERED).detail()).startsWith("RESTART_RENEWAL");
    assertThat(awaitEvent(Kind.FINDING).detail()).startsWith("RENEWAL_LATE");
    lock.unlock();
  }

  @Test
  void aDeadRenewalIsOnlyReportedWhereThatIsWanted() {
    DistributedLock lock =
        manager.getLock(config().recoveryStrategy(RecoveryStrategy.NOTIFY_ONLY).build());
    lock.lock();
    store.answer("renew", call -> new CompletableFuture<>());
    time.advance(Duration.ofSeconds(11));
    store.answerNormally("renew");
    time.advance(Duration.ofSeconds(30));

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(awaitEvent(Kind.LOST).detail()).contains("renewed");
    assertThat(count(Kind.RECOVERED)).isZero();
    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("RENEWAL_LATE");
  }

  // ---- state

  @Test
  void aLockThatWasDeletedIsLostBeforeItsNextRenewal() {
    DistributedLock lock = manager.getLock(config().leaseTime(90).build());
    lock.lock();
    memory.remove("k");
    time.advance(Duration.ofSeconds(6)); // renewals come every 30 seconds

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(awaitEvent(Kind.LOST).key()).isEqualTo("k");
    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("LOCK_GONE").contains("nobody has it");
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
  }

  @Test
  void aLockThatSomebodyElseHasByNowIsLostAndTheFindingSaysWhoHasIt() {
    DistributedLock lock =
        manager.getLock(config().leaseTime(90).recoveryStrategy(RecoveryStrategy.ALL).build());
    lock.lock();
    memory.remove("k");
    theirs.getLock("k").lock();
    time.advance(Duration.ofSeconds(6));

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(awaitEvent(Kind.ALERT).detail()).contains("theirs");
    assertThat(awaitEvent(Kind.RECOVERY_FAILED).detail()).startsWith("REACQUIRE");
    assertThat(theirs.getLock("k").isHeldByCurrentThread()).as("theirs is untouched").isTrue();
  }

  @Test
  void aLockThatSomebodyHadInBetweenIsNotTakenBack() {
    DistributedLock lock =
        manager.getLock(config().leaseTime(90).recoveryStrategy(RecoveryStrategy.ALL).build());
    lock.lock();
    memory.remove("k");
    theirs.getLock("k").lock();
    theirs.getLock("k").unlock();
    time.advance(Duration.ofSeconds(6));

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(memory.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 40}) // by the state check; by a renewal that comes before it
  void aLockThatVanishedIsTakenBackWhereThatIsAllowedAndTheHolderIsTold(int period) {
    RecoveryStrategy reacquire = RecoveryStrategy.of(Action.REACQUIRE);
    DistributedLock lock =
        manager.getLock(
            config().leaseTime(90).watchdogPeriod(period).recoveryStrategy(reacquire).build());
    List<Finding> told = new CopyOnWriteArrayList<>();
    try (Lease lease = lock.acquire();
        Acquirable.Subscription listening = lock.onResumed(told::add)) {
      assertThat(listening).isNotNull();
      lease.onResumed(told::add);
      memory.remove("k");
      time.advance(Duration.ofSeconds(35));

      await().until(() -> told.size() == 2);
      assertThat(told.get(0).kind()).isEqualTo(Finding.Kind.LOCK_GONE);
      assertThat(told.get(0).token()).isEqualTo(lease.token());
      assertThat(lease.isValid()).isTrue();
      assertThat(theirs.getLock("k").tryLock()).as("it is held again").isFalse();
      assertThat(awaitEvent(Kind.RESUMED).token()).isEqualTo(lease.token());
      assertThat(awaitEvent(Kind.RECOVERED).detail()).startsWith("REACQUIRE");
    }
    assertThat(memory.size()).isZero();
  }

  @Test
  void aLockThatWasForcedOpenIsNotTakenBackEvenIfTheNewsOfItIsLost() {
    DistributedLock lock =
        manager.getLock(config().leaseTime(90).recoveryStrategy(RecoveryStrategy.ALL).build());
    lock.lock();
    store.ignoreSignals("lost");
    theirs.getLock("k").forceUnlock();
    assertThat(lock.isHeldByCurrentThread()).as("it has not heard of it").isTrue();
    time.advance(Duration.ofSeconds(6));

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(memory.size()).isZero();
  }

  @Test
  void locksThatWereRenewedSinceTheLastLookAreNotAskedFor() {
    AtomicInteger checks = new AtomicInteger();
    store.answer(
        "check",
        call -> {
          checks.incrementAndGet();
          return call.proceed();
        });
    DistributedLock lock = manager.getLock(config().leaseTime(9).build()); // renewed every 3 s
    lock.lock();
    time.advance(Duration.ofSeconds(60));

    assertThat(checks).hasValue(0);
    lock.unlock();
  }

  @Test
  void aThousandLocksAreAskedForInAFewCommands() {
    AtomicInteger checks = new AtomicInteger();
    store.answer(
        "check",
        call -> {
          checks.incrementAndGet();
          return call.proceed();
        });
    for (int i = 0; i < 1000; i++) {
      manager.getLock(config().lockKey("k" + i).leaseTime(90).build()).lock();
    }
    time.advance(Duration.ofSeconds(6));

    assertThat(checks).hasValue(2);
  }

  // ---- holder

  @Test
  void aLockWhoseThreadHasEndedIsReleased() throws Exception {
    DistributedLock lock = manager.getLock(config().captureStack(true).build());
    endHolding(lock::lock);
    assertThat(theirs.getLock("k").tryLock()).isFalse();
    time.advance(Duration.ofSeconds(6));

    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("THREAD_ENDED");
    assertThat(awaitEvent(Kind.RECOVERED).detail()).startsWith("RELEASE");
    assertThat(theirs.getLock("k").tryLock()).isTrue();
  }

  @Test
  void aLockWithALeaseOfItsOwnIsKeptWhenItsThreadHasEndedAndThatIsReported() throws Exception {
    DistributedLock lock = manager.getLock(config().build());
    endHolding(() -> lock.lock(60, TimeUnit.SECONDS));
    time.advance(Duration.ofSeconds(50));

    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("THREAD_ENDED").contains("lease");
    assertThat(count(Kind.RECOVERED)).isZero();
    assertThat(theirs.getLock("k").tryLock()).as("until the end of its lease").isFalse();
    time.advance(Duration.ofSeconds(11));
    assertThat(theirs.getLock("k").tryLock()).isTrue();
  }

  @Test
  void aLockWithALeaseOfItsOwnIsReleasedForAThreadThatHasEndedWhereThatIsWanted() throws Exception {
    RecoveryStrategy eager = RecoveryStrategy.of(Action.RELEASE_LEASED);
    DistributedLock lock = manager.getLock(config().recoveryStrategy(eager).build());
    endHolding(() -> lock.lock(60, TimeUnit.SECONDS));
    time.advance(Duration.ofSeconds(6));

    assertThat(awaitEvent(Kind.RECOVERED).detail()).startsWith("RELEASE_LEASED");
    assertThat(theirs.getLock("k").tryLock()).isTrue();
  }

  @Test
  void aLockEnteredTwiceByAThreadThatHasEndedGoesToTheNextThread() throws Exception {
    DistributedLock lock = manager.getLock(config().build());
    endHolding(
        () -> {
          lock.lock();
          lock.lock();
        });
    Thread next = new Thread(lock::lock);
    next.start();
    await().until(() -> next.getState() == Thread.State.WAITING);
    time.advance(Duration.ofSeconds(6));

    next.join(120_000);
    assertThat(next.isAlive()).as("still waiting").isFalse();
  }

  @Test
  void aThreadThatHasEndedKeepsItsLockWhereTheWatchdogMayOnlyReport() throws Exception {
    DistributedLock lock =
        manager.getLock(config().recoveryStrategy(RecoveryStrategy.NOTIFY_ONLY).build());
    endHolding(lock::lock);
    time.advance(Duration.ofSeconds(60));

    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("THREAD_ENDED");
    assertThat(theirs.getLock("k").tryLock()).isFalse();
    assertThat(count(Kind.ALERT)).as("told once").isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"read", "write", "both"})
  void aReadWriteLockWhoseThreadHasEndedIsReleasedAndOtherReadersStay(String what)
      throws Exception {
    DistributedReadWriteLock lock = manager.getReadWriteLock(config().build(), false);
    if (what.equals("read")) {
      lock.readLock().lock();
    }
    endHolding(
        () -> {
          if (!what.equals("read")) {
            lock.writeLock().lock();
          }
          if (!what.equals("write")) {
            lock.readLock().lock();
          }
        });
    time.advance(Duration.ofSeconds(6));

    awaitEvent(Kind.RECOVERED);
    DistributedReadWriteLock other = theirs.getReadWriteLock("k");
    if (what.equals("read")) {
      assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
      assertThat(other.writeLock().tryLock()).isFalse();
      lock.readLock().unlock();
    }
    assertThat(other.writeLock().tryLock()).isTrue();
  }

  @Test
  void aHandleIsNotBoundToTheThreadThatMadeIt() throws Exception {
    DistributedLock lock = manager.getLock(config().build());
    CompletableFuture<Lease> lease = new CompletableFuture<>();
    endHolding(() -> lease.complete(lock.acquire()));
    time.advance(Duration.ofSeconds(60));

    assertThat(lease.join().isValid()).isTrue();
    assertThat(count(Kind.ALERT)).isZero();
    lease.join().close();
  }

  @Test
  void aThreadThatDoesNotMoveIsReportedWithThePlaceWhereItStands() throws Exception {
    DistributedLock lock =
        manager.getLock(config().blockedAlert(Duration.ofSeconds(20)).alertThreshold(1).build());
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Thread holder =
        new Thread(
            () -> {
              lock.lock();
              held.countDown();
              waitHere(mayGoOn);
              lock.unlock();
            });
    holder.start();
    held.await();
    await().until(() -> holder.getState() == Thread.State.WAITING);
    time.advance(Duration.ofSeconds(16));
    assertThat(count(Kind.ALERT)).as("too early").isZero();
    time.advance(Duration.ofSeconds(20));

    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("THREAD_BLOCKED").contains("waitHere");
    mayGoOn.countDown();
    holder.join();
  }

  private static void waitHere(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void threadsThatWaitForEachOtherInOneProcessAreReported() throws Exception {
    DistributedLock a = manager.getLock(config().lockKey("a").build());
    DistributedLock b = manager.getLock(config().lockKey("b").build());
    CyclicBarrier bothHold = new CyclicBarrier(2);
    Thread one = daemon(() -> lockBoth(a, b, bothHold));
    Thread other = daemon(() -> lockBoth(b, a, bothHold));
    await()
        .until(
            () ->
                bothHold.getNumberWaiting() == 0
                    && manager.health().held() == 2
                    && one.getState() == Thread.State.WAITING
                    && other.getState() == Thread.State.WAITING);
    time.advance(Duration.ofSeconds(6));

    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("THREAD_DEADLOCKED");
    manager.close(); // sets them free, before another test sees what they throw
    one.join();
    other.join();
  }

  private static void lockBoth(
      DistributedLock first, DistributedLock second, CyclicBarrier bothHold) {
    first.lock();
    try {
      bothHold.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
    lockUntilClosed(second);
  }

  /** For a thread that waits until the manager is closed. */
  private static void lockUntilClosed(DistributedLock lock) {
    try {
      lock.lock();
    } catch (LockManagerClosedException e) {
      // as it should be
    }
  }

  @Test
  void aLockThatIsHeldForTooLongIsAnAlertThatSaysWhoWaits() throws Exception {
    DistributedLock lock = manager.getLock(config().holdAlert(Duration.ofSeconds(12)).build());
    lock.lock();
    Thread waiter = new Thread(() -> lockUntilClosed(theirs.getLock("k")));
    waiter.setDaemon(true);
    waiter.start();
    await().until(() -> manager.getLock("k").info().waiters().size() == 1);
    await().until(() -> waiter.getState() == Thread.State.WAITING); // its next look is planned
    time.advance(Duration.ofSeconds(30));

    LockEvent alert = awaitEvent(Kind.HELD_LONG);
    assertThat(alert.detail()).contains("waiting: theirs");
    assertThat(alert.duration()).isGreaterThanOrEqualTo(Duration.ofSeconds(12));
    assertThat(count(Kind.HELD_LONG)).as("told once").isEqualTo(1);
    lock.unlock();
  }

  // ---- connection and health

  @Test
  void aStoreThatDoesNotAnswerIsReportedAndHealthTells() {
    assertThat(manager.health().isHealthy()).isTrue();
    store.answer("ping", call -> CompletableFuture.failedFuture(new RuntimeException("cut")));
    time.advance(Duration.ofSeconds(6));
    assertThat(manager.health().reachable()).isFalse();
    assertThat(manager.health().findings()).hasSize(1);
    assertThat(count(Kind.ALERT)).as("it may pass").isZero();
    time.advance(Duration.ofSeconds(5));
    assertThat(awaitEvent(Kind.ALERT).detail()).startsWith("STORE_UNREACHABLE").contains("cut");

    store.answerNormally("ping");
    time.advance(Duration.ofSeconds(20));
    assertThat(manager.health().isHealthy()).isTrue();
    assertThat(manager.health().findings()).isEmpty();
    assertThat(manager.health().latency()).isNotNull();
  }

  @Test
  void aPingThatIsNeverAnsweredIsReportedAndNotRepeated() {
    AtomicInteger pings = new AtomicInteger();
    store.answer(
        "ping",
        call -> {
          pings.incrementAndGet();
          return new CompletableFuture<>();
        });
    time.advance(Duration.ofSeconds(21));

    assertThat(pings.get()).as("one per manager").isEqualTo(2);
    assertThat(awaitEvent(Kind.ALERT).detail()).contains("no answer for");
    assertThat(manager.health().reachable()).isFalse();
  }

  @Test
  void healthCountsWhatIsHeldAndWaitedFor() {
    manager.getLock("k").lock();
    manager.getLock("l").lock();
    CompletableFuture<Lease> waiting = theirs.getLock("k").acquireAsync();

    assertThat(manager.health().held()).isEqualTo(2);
    assertThat(manager.health().engine()).isEqualTo("memory");
    assertThat(theirs.health().waiting()).isEqualTo(1);
    waiting.cancel(false);
  }

  @Test
  void healthCountsThoseBehindAThreadOfTheirOwnProcessAsWell() {
    theirs.getLock("k").lock();
    CompletableFuture<Lease> first = manager.getLock("k").acquireAsync();
    assertThat(manager.health().waiting()).isEqualTo(1);
    assertThat(manager.health().waitingLocally()).isZero();

    CompletableFuture<Lease> second = manager.getLock("k").acquireAsync();
    Thread third = daemon(() -> lockUntilClosed(manager.getLock("k")));
    await().until(() -> third.getState() == Thread.State.WAITING);
    assertThat(manager.health().waiting()).isEqualTo(3);
    assertThat(manager.health().waitingLocally()).isEqualTo(2);

    theirs.getLock("k").unlock();
    assertThat(first.join().isValid()).isTrue();
    assertThat(manager.health().waiting()).as("behind a holder").isEqualTo(2);
    assertThat(manager.health().waitingLocally()).isEqualTo(2);
    second.cancel(false);
    assertThat(manager.health().waiting()).isEqualTo(1);
  }

  @Test
  void healthCountsReadersAndWritersOfItsOwnProcess() {
    theirs.getReadWriteLock("k").writeLock().lock();
    CompletableFuture<Lease> first = manager.getReadWriteLock("k").writeLock().acquireAsync();
    assertThat(manager.health().waiting()).isEqualTo(1);

    CompletableFuture<Lease> second = manager.getReadWriteLock("k").readLock().acquireAsync();
    assertThat(manager.health().waiting()).isEqualTo(2);
    assertThat(manager.health().waitingLocally()).isEqualTo(1);

    theirs.getReadWriteLock("k").writeLock().unlock();
    assertThat(first.join().isValid()).isTrue();
    assertThat(manager.health().waiting()).isEqualTo(1);
    second.cancel(false);
    assertThat(manager.health().waiting()).isZero();
  }

  @Test
  void aLongWaitAtALatchIsAnAlertThatSaysTheCount() {
    theirs.getCountDownLatch("k").trySetCount(3);
    LockConfig impatient = config().waitAlert(Duration.ofSeconds(8)).build();
    CompletableFuture<Boolean> waiting = manager.getCountDownLatch(impatient).awaitAsync();
    time.advance(Duration.ofSeconds(30));

    await().until(() -> count(Kind.WAITING_LONG) == 1);
    assertThat(awaitEvent(Kind.WAITING_LONG).detail())
        .contains("latch 'k' is closed with a count of 3")
        .contains("waiting: ours, process");
    waiting.cancel(false);
  }

  // ---- waiting

  @Test
  void aWaitOfAnotherProcessAndOneBehindAThreadOfTheSameAreAlertsThatSayWhoHoldsTheLock() {
    LockConfig impatient = config().waitAlert(Duration.ofSeconds(8)).build();
    theirs.getLock("k").lock();
    Thread first = daemon(() -> lockUntilClosed(manager.getLock(impatient)));
    await().until(() -> manager.health().waiting() == 1);
    Thread second = daemon(() -> lockUntilClosed(manager.getLock(impatient)));
    await().until(() -> second.getState() == Thread.State.WAITING);
    time.advance(Duration.ofSeconds(30));

    await().until(() -> count(Kind.WAITING_LONG) == 2);
    assertThat(events)
        .filteredOn(event -> event.kind() == Kind.WAITING_LONG)
        .allMatch(event -> event.detail().contains("held by theirs"))
        .extracting(LockEvent::thread)
        .containsExactlyInAnyOrder(first.getName(), second.getName());
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void endHolding(InterruptibleTask task) throws Exception {
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
                failed.complete(null);
              } catch (Throwable e) {
                failed.complete(e);
              }
            });
    thread.start();
    thread.join();
    assertThat(failed.join()).isNull();
  }

  private interface InterruptibleTask {
    void run() throws Exception;
  }
}
