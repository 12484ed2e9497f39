package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A loss while an order to force the lock open is under way is logged, however the order ends. */
@Isolated
@Timeout(600)
class FailedForceUnlockTest {
  private static final String KEY = "forced in vain";

  private final TwoProcesses processes = new TwoProcesses();
  private final LogLines log = LogLines.about(KEY);

  @AfterEach
  void close() {
    processes.close();
    log.close();
  }

  @Test
  void aLeaseThatEndsMeanwhileIsAWarningIfTheOrderFails() {
    whileForced(
        call -> {
          processes.clock.advance(Duration.ofMinutes(5));
          return noAnswer();
        });
    assertThat(log.at("WARN")).singleElement().asString().contains("its lease ran out");
  }

  @Test
  void aLeaseThatEndsMeanwhileIsAWarningOfItsOwnIfTheOrderHitsTheNextHolder() {
    whileForced(
        call -> {
          processes.clock.advance(Duration.ofMinutes(5));
          assertThat(processes.there.getLock(KEY).tryAcquire()).isPresent();
          return call.proceed();
        },
        true);
    assertThat(log.at("WARN"))
        .anyMatch(line -> line.contains("its lease ran out"))
        .anyMatch(line -> line.contains("forced open"));
  }

  @Test
  void aLossThatTheStoreSignalsIsAWarningIfTheAnswerToTheOrderIsLost() {
    whileForced(
        call -> {
          call.proceed();
          return noAnswer();
        });
    assertThat(log.at("WARN")).singleElement().asString().contains("forced open", "was lost");
  }

  @Test
  void aLockThatIsHeldOnAfterAFailedOrderIsALossWhenItIsLostLater() {
    whileForced(call -> noAnswer());
    processes.clock.advance(Duration.ofMinutes(5));
    assertThat(log.at("WARN")).singleElement().asString().contains("its lease ran out");
  }

  private static CompletableFuture<?> noAnswer() {
    return CompletableFuture.failedFuture(new TimeoutException("no answer, on purpose"));
  }

  private void whileForced(Function<InterceptedStore.Call, Object> answer) {
    whileForced(answer, false);
  }

  /** Its own process forces the lock open, which is held with a lease that is not renewed. */
  private void whileForced(Function<InterceptedStore.Call, Object> answer, boolean succeeds) {
    Lease held = processes.here.getLock(KEY).leaseFor(Duration.ofMinutes(1)).acquireAsync().join();
    processes.store.on("forceRelease", answer);
    if (succeeds) {
      assertThat(processes.here.getLock(KEY).forceUnlock()).isTrue();
      assertThat(held.isValid()).isFalse();
    } else {
      assertThatThrownBy(() -> processes.here.getLock(KEY).forceUnlock())
          .isInstanceOf(StoreUnavailableException.class);
    }
  }
}
