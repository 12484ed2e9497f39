package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OtherThreadTest {
  private final OtherThread other = new OtherThread("other");

  @AfterEach
  void end() {
    other.close();
  }

  @Test
  void anIdleThreadIsNotTakenForOneThatWaitsInAnAction() {
    Awaitility.await().until(() -> other.thread().getState() == Thread.State.WAITING);
    assertThat(other.isWaiting()).isFalse();
  }

  @Test
  void anInterruptReachesTheActionThatWaits() {
    Future<Boolean> waiting = other.startRun(() -> new CountDownLatch(1).await());
    Awaitility.await().until(other::isWaiting);
    other.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    Awaitility.await().until(() -> other.thread().getState() == Thread.State.WAITING);
    assertThat(other.isWaiting()).isFalse();
  }
}
