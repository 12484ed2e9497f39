package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testkit.engine.InterceptedStore.HeldCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A thread for which the one before it has joined the queue of the store holds another lock, which
 * the process wants that is before it. That is a deadlock, unless the thread has gone away.
 */
@Isolated
@Timeout(600)
class SuccessorInADeadlockTest {
  private final TwoProcesses processes = new TwoProcesses();
  private final OtherThread leaving = new OtherThread("leaving");
  private final OtherThread next = new OtherThread("next");
  private final OtherThread far = new OtherThread("far");
  private final List<LockEvent> events = new CopyOnWriteArrayList<>();
  private final LockManager here =
      processes.manager().engine(processes.store).listener(events::add).build();
  private final LockManager there = processes.manager().listener(events::add).build();
  private final DistributedLock lock = here.getFairLock("k");
  private final DistributedLock other = here.getFairLock("x");

  @BeforeEach
  void oneHoldsTheLockAndTheNextTheOther() {
    leaving.run(lock::lock);
    next.run(other::lock);
  }

  @AfterEach
  void close() {
    processes.store.passAll();
    here.close();
    there.close();
    processes.close();
    List.of(leaving, next, far).forEach(OtherThread::close);
  }

  @Test
  void whoComesNextIsFoundInADeadlock() {
    Future<Boolean> elsewhere = far.startRun(there.getFairLock("k")::lock);
    Awaitility.await().until(() -> lock.info().waiters().size() == 1);
    next.startRun(lock::lock);
    Awaitility.await().until(() -> lock.info().localWaiters() == 1 && next.isWaiting());
    leaving.run(lock::unlock);
    OtherThread.get(elsewhere);
    farWantsTheOther();
    Awaitility.await().untilAsserted(() -> assertThat(alerts()).hasSize(2));
  }

  @Test
  void whoHasGoneIsNot() {
    Future<Boolean> elsewhere = far.startRun(there.getFairLock("k")::lock);
    Awaitility.await().until(() -> lock.info().waiters().size() == 1);
    Future<Boolean> waiting = next.startRun(lock::lockInterruptibly);
    Awaitility.await().until(() -> lock.info().localWaiters() == 1 && next.isWaiting());
    HeldCall release = processes.store.holdNext("release");
    leaving.startRun(lock::unlock);
    Awaitility.await().until(release::isCaught);
    release.execute(); // its answer is lost, so nobody has come through the gate yet
    OtherThread.get(elsewhere);
    next.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    farWantsTheOther();
    Awaitility.await().during(Duration.ofMillis(500)).until(() -> alerts().isEmpty());
  }

  private void farWantsTheOther() {
    far.startRun(there.getFairLock("x")::lock);
    Awaitility.await().until(() -> other.info().waiters().size() == 1 && far.isWaiting());
    for (int i = 0; i < 8; i++) {
      processes.clock.advance(Duration.ofSeconds(5));
    }
  }

  private List<String> alerts() {
    return events.stream()
        .filter(event -> event.kind() == LockEvent.Kind.ALERT)
        .map(LockEvent::detail)
        .filter(detail -> detail.startsWith("DEADLOCK"))
        .toList();
  }
}
