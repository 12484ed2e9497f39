package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Two real processes that wait for each other. */
@Isolated
@Timeout(600)
class RedisDeadlockTest {
  private final RedisServer server = RedisServer.shared();
  private final String mine = "mine:" + UUID.randomUUID();
  private final String theirs = "theirs:" + UUID.randomUUID();

  @Test
  void aDeadlockWithAnotherProcessIsReportedWithItsNameAndPidAndBothLocks() {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    LockConfig watchful =
        LockConfig.builder().leaseTime(600).watchdogPeriod(Duration.ofMillis(500)).build();
    try (OtherThread waiting = new OtherThread("waits-for-theirs");
        LockManager manager =
            LockManager.builder(patient(server.url()))
                .defaults(watchful)
                .application("parent")
                .listener(events::add)
                .build();
        ChildJvm child = ChildJvm.start(LockingProcess.class, "both", server.url(), theirs, mine)) {
      child.awaitLine("holds " + theirs, Duration.ofMinutes(3));
      waiting.run(() -> manager.getLock(mine).lock());
      waiting.startRun(() -> manager.getLock(theirs).lock());
      child.send("go");

      await()
          .atMost(Duration.ofMinutes(3))
          .until(() -> events.stream().anyMatch(RedisDeadlockTest::isDeadlock));
      LockEvent alert = events.stream().filter(RedisDeadlockTest::isDeadlock).findFirst().get();
      assertThat(alert.detail())
          .contains("process " + child.pid())
          .contains("child")
          .contains("parent")
          .contains("waits-for-theirs")
          .contains(mine)
          .contains(theirs);
    }
  }

  private static boolean isDeadlock(LockEvent event) {
    return event.kind() == LockEvent.Kind.ALERT && event.detail().startsWith("DEADLOCK");
  }
}
