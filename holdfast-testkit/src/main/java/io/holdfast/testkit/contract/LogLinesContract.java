package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.RecoveryStrategy;
import io.holdfast.testkit.LogLines;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/**
 * One event is one line of the log, at a fitting level. Needs {@code slf4j-simple} with level
 * {@code info} for {@code io.holdfast}; so it is not among the contracts that every engine must
 * run.
 */
public abstract class LogLinesContract extends EngineContract {
  /** For subclasses. */
  protected LogLinesContract() {}

  @Test
  void aLockThatItsOwnProcessForcesOpenIsOneWarning() {
    LockConfig config =
        LockConfig.builder().lockKey(key()).recoveryStrategy(RecoveryStrategy.ALL).build();
    DistributedLock lock = manager().getLock(config);
    List<LockEvent> events = events(manager());
    lock.lock();
    try (LogLines log = LogLines.about(key())) {
      assertThat(lock.forceUnlock()).isTrue();
      eventually().until(() -> count(events, LockEvent.Kind.LOST) == 1);
      roundTrips();
      assertThat(log.all()).singleElement().asString().contains(" WARN ", "forced open", "told");
    }
  }

  @Test
  void permitsThatTheirOwnProcessTakesAwayAreOneWarning() {
    DistributedSemaphore semaphore = manager().getSemaphore(key(), 3);
    List<LockEvent> events = events(manager());
    Lease one = semaphore.acquire();
    Lease two = semaphore.acquire(2);
    try (LogLines log = LogLines.about(key())) {
      assertThat(semaphore.forceRelease()).isTrue();
      eventually().until(() -> count(events, LockEvent.Kind.LOST) == 2);
      roundTrips();
      assertThat(one.isValid() || two.isValid()).isFalse();
      assertThat(log.all())
          .singleElement()
          .asString()
          .contains(" WARN ", "semaphore '" + key() + "' was forced open");
    }
  }

  @Test
  void aWriterThatItsOwnProcessForcesOutIsOneWarning() {
    DistributedReadWriteLock lock = manager().getReadWriteLock(key());
    List<LockEvent> events = events(manager());
    lock.writeLock().lock();
    try (LogLines log = LogLines.about(key())) {
      assertThat(lock.writeLock().forceUnlock()).isTrue();
      eventually().until(() -> count(events, LockEvent.Kind.LOST) == 1);
      roundTrips();
      assertThat(log.all())
          .singleElement()
          .asString()
          .contains(" WARN ", "read-write lock '" + key() + "' was forced open");
    }
  }

  /** Both processes are here: one line of each. */
  @Test
  void aLockThatAnotherProcessForcesOpenIsOneWarningInEach() {
    DistributedLock lock = quickLock(manager());
    List<LockEvent> events = events(manager());
    lock.lock();
    try (LogLines log = LogLines.about(key())) {
      assertThat(sameLockElsewhere().forceUnlock()).isTrue();
      eventually().until(() -> count(events, LockEvent.Kind.LOST) == 1);
      roundTrips();
      assertThat(log.at("WARN"))
          .hasSize(2)
          .anyMatch(line -> line.contains("' was forced open by thread"))
          .anyMatch(line -> line.contains("was lost"));
      assertThat(log.all()).hasSize(2);
    }
  }

  @Test
  void toCloseAManagerThatHoldsLocksIsOneLineAndNoWarning() {
    LockManager closing = anotherManager();
    List<LockEvent> events = events(closing);
    closing.getLock(key() + ":a").lock();
    closing.getLock(key() + ":b").lock();
    Lease permit = closing.getSemaphore(key() + ":s", 1).acquire();
    try (LogLines log = LogLines.about(key())) {
      closing.close();
      eventually().until(() -> count(events, LockEvent.Kind.LOST) == 3);
      roundTrips();
      assertThat(permit.isValid()).isFalse();
      assertThat(log.all())
          .singleElement()
          .asString()
          .contains(" INFO ", "closed", "lock '" + key() + ":b'", "semaphore '" + key() + ":s'")
          .doesNotContain("another holder");
    }
  }

  @Test
  void toCloseAManagerThatHoldsNothingIsNotMentioned() {
    LockManager closing = anotherManager();
    closing.getLock(key()).lock();
    closing.getLock(key()).unlock();
    try (LogLines log = LogLines.about("io.holdfast.internal")) {
      closing.close();
      String own = "[" + Thread.currentThread().getName() + "]"; // other tests close managers, too
      assertThat(log.all()).noneMatch(line -> line.contains(own) && line.contains("closed while"));
    }
  }

  private static List<LockEvent> events(LockManager manager) {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    manager.addListener(events::add);
    return events;
  }

  private static long count(List<LockEvent> events, LockEvent.Kind kind) {
    return events.stream().filter(each -> each.kind() == kind).count();
  }

  /** After these what the store has signalled is here, and what was asked because of it too. */
  private void roundTrips() {
    for (int i = 0; i < 20; i++) {
      for (LockManager each : List.of(manager(), otherManager())) {
        try (Lease lease = each.getLock(key().substring(0, key().length() - 1)).acquire()) {
          assertThat(lease.isValid()).isTrue();
        }
      }
    }
  }
}
