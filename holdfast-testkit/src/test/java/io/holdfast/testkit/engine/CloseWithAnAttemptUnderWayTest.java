package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A waiter that looked by itself at the moment of its grant has an attempt that takes effect late.
 */
@Isolated
@Timeout(600)
class CloseWithAnAttemptUnderWayTest {
  private final TwoProcesses processes = new TwoProcesses();
  private final OtherThread closing = new OtherThread("closing");

  @AfterEach
  void close() {
    processes.close();
    closing.close();
  }

  @Test
  void closingWaitsForItsAnswerAndGivesBackWhatItTook() {
    Lease held = processes.there.getLock("k").acquire();
    CompletableFuture<Lease> waiting = processes.here.getLock("k").acquireAsync();
    InterceptedStore.HeldCall look = processes.store.holdNext("acquire");
    processes.clock.advance(Duration.ofSeconds(2)); // looks by itself; the attempt is kept back
    assertThat(look.isCaught()).isTrue();
    held.close(); // grants by a signal, which the answer to the attempt has to confirm
    assertThat(waiting).isNotDone();
    Future<Boolean> closed = closing.startRun(processes.here::close);
    Awaitility.await().until(() -> closed.isDone() || closing.isWaiting());
    assertThat(closed).as("closing").isNotDone();
    look.letGo(); // executed only now: it finds that its owner holds the lock
    OtherThread.get(closed);
    assertThat(processes.there.getLock("k").isLocked()).isFalse();
  }
}
