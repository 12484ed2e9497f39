package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DeadlockException;
import io.holdfast.DeadlockVictim;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.RecoveryStrategy;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What every engine owes the watchdog: it can tell which of the held locks it still knows, takes
 * one back only if nobody has had it, keeps the notes of those who wait, and answers a ping. The
 * leases are long, so whatever happens soon is the watchdog's doing.
 */
@SuppressWarnings("LockNotBeforeTry") // what happens without is what is tested
public abstract class WatchdogContract extends EngineContract {
  private static final Duration PERIOD = Duration.ofMillis(200);

  private final List<LockEvent> events = new CopyOnWriteArrayList<>();

  /** For subclasses. */
  protected WatchdogContract() {}

  private LockConfig config(RecoveryStrategy strategy) {
    return LockConfig.builder()
        .lockKey(key())
        .leaseTime(600)
        .watchdogPeriod(PERIOD)
        .recoveryStrategy(strategy)
        .build();
  }

  private LockManager watched(DeadlockVictim victim) {
    return store()
        .newManager()
        .defaults(LockConfig.builder().leaseTime(600).watchdogPeriod(PERIOD).build())
        .deadlockVictim(victim)
        .listener(events::add)
        .build();
  }

  private void awaitEvent(LockEvent.Kind kind, String detail) {
    eventually()
        .untilAsserted(
            () ->
                assertThat(events)
                    .anyMatch(event -> event.kind() == kind && event.detail().contains(detail)));
  }

  @Test
  void aLockThatWasRemovedIsLostLongBeforeItsNextRenewal() {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      DistributedLock lock = manager.getLock(config(RecoveryStrategy.STANDARD));
      lock.lock();
      store().removeByHand(key());

      eventually().until(() -> !lock.isHeldByCurrentThread());
      awaitEvent(LockEvent.Kind.ALERT, "LOCK_GONE");
      assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    }
  }

  @Test
  void aHolderThatWaitsForAnotherLockCountsAsBlocked() throws Exception {
    DistributedLock other = otherManager().getLock(key() + ":other");
    other.lock();
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      DistributedLock held =
          manager.getLock(
              config(RecoveryStrategy.STANDARD).toBuilder()
                  .blockedAlert(Duration.ofMillis(500))
                  .build());
      DistributedLock wanted = manager.getLock(key() + ":other");
      Future<?> waiting =
          otherThread()
              .startRun(
                  () -> {
                    held.lock();
                    wanted.lock(); // waits for the store, not for a thread of this process
                    wanted.unlock();
                    held.unlock();
                  });
      awaitEvent(LockEvent.Kind.FINDING, "THREAD_BLOCKED");
      other.unlock();
      OtherThread.get(waiting);
    }
  }

  @Test
  void permitsAndReadersThatWereRemovedAreFoundAsWell() throws Exception {
    // what others of the key leave in the store when it is removed by hand goes with the lease
    LockConfig config = config(RecoveryStrategy.STANDARD).toBuilder().leaseTime(6).build();
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      Lease permit = manager.getSemaphore(config, 3).acquire();
      store().removeByHand(key());
      eventually().until(() -> !permit.isValid());

      DistributedReadWriteLock readWrite = manager.getReadWriteLock(config, false);
      readWrite.readLock().lock();
      store().removeByHand(key());
      eventually().until(() -> !readWrite.readLock().isHeldByCurrentThread());
    }
  }

  @Test
  void aLockThatIsStillThereIsLeftAlone() {
    try (LockManager manager = watched(DeadlockVictim.NONE);
        Lease lease = manager.getLock(config(RecoveryStrategy.ALL)).acquire();
        Lease permit =
            manager.getSemaphore(config(RecoveryStrategy.ALL).withKey(key() + ":s"), 3).acquire()) {
      eventually().during(PERIOD.multipliedBy(6)).until(() -> lease.isValid() && permit.isValid());
      assertThat(events)
          .extracting(LockEvent::kind)
          .doesNotContain(
              LockEvent.Kind.LOST,
              LockEvent.Kind.RESUMED,
              LockEvent.Kind.RECOVERED,
              LockEvent.Kind.RECOVERY_FAILED);
    }
  }

  @Test
  void aLockThatWasRemovedIsTakenBackIfTheStoreCanTellThatNobodyHadIt() {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      DistributedLock lock = manager.getLock(config(RecoveryStrategy.ALL));
      lock.lock();
      long token = lock.fencingToken();
      store().removeByHand(key());

      if (store().canTellWhetherAnybodyHadIt()) {
        awaitEvent(LockEvent.Kind.RESUMED, "");
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.fencingToken()).isEqualTo(token);
        assertThat(sameLockElsewhere().tryLock()).as("held again").isFalse();
        lock.unlock();
      } else {
        awaitEvent(LockEvent.Kind.LOST, "");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
      }
    }
  }

  @Test
  void aLockThatSomebodyHadInBetweenIsNotTakenBack() {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      LockConfig slow = config(RecoveryStrategy.ALL).toBuilder().watchdogPeriod(2).build();
      DistributedLock lock = manager.getLock(slow);
      lock.lock();
      store().removeByHand(key());
      while (!sameLockElsewhere().tryLock()) { // it was taken back before anybody could have it
        lock.unlock();
        lock.lock();
        store().removeByHand(key());
      }
      sameLockElsewhere().unlock();

      eventually().until(() -> !lock.isHeldByCurrentThread());
      awaitEvent(LockEvent.Kind.LOST, "");
    }
  }

  @Test
  void aLockThatWasForcedOpenIsNotTakenBack() {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      DistributedLock lock = manager.getLock(config(RecoveryStrategy.ALL));
      lock.lock();
      assertThat(sameLockElsewhere().forceUnlock()).isTrue();

      eventually().until(() -> !lock.isHeldByCurrentThread());
      assertThat(events).extracting(LockEvent::kind).doesNotContain(LockEvent.Kind.RESUMED);
    }
  }

  @Test
  void whatAThreadHoldsThatHasEndedIsReleased() throws Exception {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      Thread thread = new Thread(() -> manager.getLock(config(RecoveryStrategy.STANDARD)).lock());
      thread.start();
      thread.join();

      assertThat(sameLockElsewhere().tryLock(ContractFixture.PATIENCE)).isTrue();
      sameLockElsewhere().unlock();
      awaitEvent(LockEvent.Kind.RECOVERED, "RELEASE");
    }
  }

  @Test
  void theStoreAnswersAndItsHealthIsKnown() {
    try (LockManager manager = watched(DeadlockVictim.NONE)) {
      eventually().until(() -> manager.health().latency() != null);
      // On a starved machine an answer may take so long that it is a finding for a while.
      eventually().until(() -> manager.health().isHealthy());
      assertThat(manager.health().reachable()).isTrue();
    }
  }

  @Test
  void threadsOfTwoProcessesThatWaitForEachOtherAreReportedByBoth() throws Exception {
    List<LockEvent> others = new CopyOnWriteArrayList<>();
    LockConfig quick = LockConfig.builder().leaseTime(600).watchdogPeriod(PERIOD).build();
    try (LockManager one = watched(DeadlockVictim.NONE);
        LockManager other = store().newManager().defaults(quick).listener(others::add).build()) {
      Deadlock deadlock = new Deadlock(one, other);
      awaitEvent(LockEvent.Kind.ALERT, "DEADLOCK");
      eventually()
          .untilAsserted(
              () -> assertThat(others).anyMatch(event -> event.detail().startsWith("DEADLOCK")));
      assertThat(events)
          .filteredOn(event -> event.detail().startsWith("DEADLOCK"))
          .allMatch(event -> event.detail().contains(deadlock.first))
          .allMatch(event -> event.detail().contains(deadlock.second));
      assertThat(deadlock.oneWaits.isDone()).as("nobody gives way").isFalse();
      assertThat(deadlock.otherWaits.isDone()).as("nobody gives way").isFalse();
    }
  }

  @Test
  void theOneWhoCameLastGivesWayWhereThatIsTheRule() throws Exception {
    try (LockManager one = watched(DeadlockVictim.LAST_TO_WAIT);
        LockManager other = watched(DeadlockVictim.LAST_TO_WAIT)) {
      Deadlock deadlock = new Deadlock(one, other);
      assertThatThrownBy(() -> deadlock.otherWaits.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasRootCauseInstanceOf(DeadlockException.class)
          .rootCause()
          .hasMessageContaining(deadlock.first)
          .hasMessageContaining(deadlock.second);
      deadlock.otherThread.run(() -> other.getLock(deadlock.second).unlock());
      assertThat(deadlock.oneWaits.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("goes on")
          .isTrue();
      deadlock.oneThread.run(
          () -> {
            one.getLock(deadlock.second).unlock();
            one.getLock(deadlock.first).unlock();
          });
    }
  }

  /** One holds the first and waits for the second, then the other the other way round. */
  private final class Deadlock {
    final String first = key() + ":first";
    final String second = key() + ":second";
    final OtherThread oneThread = otherThread();
    final OtherThread otherThread = otherThread();
    final Future<Boolean> oneWaits;
    final Future<Boolean> otherWaits;

    Deadlock(LockManager one, LockManager other) {
      oneThread.run(() -> one.getLock(first).lock());
      otherThread.run(() -> other.getLock(second).lock());
      oneWaits = oneThread.startRun(() -> one.getLock(second).lock());
      eventually().until(() -> manager().getLock(second).info().waiters().size() == 1);
      otherWaits = otherThread.startRun(() -> other.getLock(first).lock());
      eventually().until(() -> manager().getLock(first).info().waiters().size() == 1);
    }
  }
}
