package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Acquirable;
import io.holdfast.LockLoss;
import io.holdfast.LockLostException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Lock objects need not be kept: what was said to one is known to the next, garbage or not. */
@Isolated
@Timeout(600)
class UnkeptLockObjectsTest {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration PAST_THE_LEASE = Duration.ofSeconds(3);

  private final TwoProcesses processes = new TwoProcesses();
  private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    processes.close();
  }

  @Test
  void aListenerHearsALossThoughTheLockObjectIsGone() {
    processes.here.getLock("k").onLost(losses::add);
    collectGarbage();

    processes.here.getLock("k").lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    processes.clock.advance(PAST_THE_LEASE);

    assertThat(losses).hasSize(1);
  }

  @Test
  void anUnlockThroughAnotherLockObjectSaysThatTheLockWasLost() {
    processes.here.getLock("k").lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
    processes.clock.advance(PAST_THE_LEASE);
    collectGarbage();

    assertThatThrownBy(() -> processes.here.getLock("k").unlock())
        .isInstanceOf(LockLostException.class)
        .hasMessageContaining("'k'");
  }

  @Test
  void aLockWhoseListenersAreGoneIsForgotten() {
    Acquirable.Subscription one = processes.here.getLock("k").onLost(losses::add);
    Acquirable.Subscription two = processes.here.getLock("k").onLost(losses::add);
    one.close();
    collectGarbage();
    assertThat(processes.here.knownLocks()).isEqualTo(1);
    two.close();
    one = null;
    two = null;

    collectGarbage();

    Awaitility.await().until(() -> processes.here.knownLocks() == 0);
  }

  /** Until it is certain that whatever could be collected was. */
  private static void collectGarbage() {
    WeakReference<Object> canary = new WeakReference<>(new Object());
    Awaitility.await()
        .until(
            () -> {
              System.gc();
              return canary.get() == null;
            });
  }
}
