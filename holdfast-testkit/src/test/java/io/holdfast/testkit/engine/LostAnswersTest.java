package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLoss;
import io.holdfast.LossReason;
import io.holdfast.internal.base.LockRules;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Renewals that the store executes and whose answers are lost: the holder must believe that it is
 * over, and the store believes that all is well.
 */
@Isolated
@Timeout(600)
class LostAnswersTest {
  private static final Duration LEASE = Duration.ofSeconds(9);
  private static final Duration VALID = LockRules.validity(LockConfig.defaults(), LEASE);
  private static final Duration A_MOMENT = Duration.ofMillis(5);

  @Test
  void aLockThatIsLostForWantOfAnswersIsSoonFreeForOthers() {
    try (TwoProcesses processes = new TwoProcesses()) {
      processes.store.on(
          "renew",
          call -> {
            call.proceed();
            List<?> batch = (List<?>) call.argument(0);
            return CompletableFuture.completedFuture(
                Collections.nCopies(
                    batch.size(), new RenewResult.Unknown(new TimeoutException("no answer"))));
          });
      CompletableFuture<LockLoss> told = new CompletableFuture<>();
      Lease lease =
          processes
              .here
              .getLock(LockConfig.builder().lockKey("k").leaseTime(LEASE).build())
              .acquire()
              .onLost(told::complete);
      CompletableFuture<Lease> next = processes.there.getLock("k").acquireAsync();
      CompletableFuture<Boolean> stillBelieved = next.thenApply(granted -> lease.isValid());

      processes.clock.advance(VALID.minus(A_MOMENT));
      assertThat(lease.isValid()).isTrue();
      processes.clock.advance(A_MOMENT);
      assertThat(lease.isValid()).isFalse();
      processes.clock.advance(LEASE.minus(VALID).minus(A_MOMENT));
      assertThat(next).as("within the loss margin").isNotDone();
      assertThat(told).isCompleted();
      processes.clock.advance(A_MOMENT.multipliedBy(2));

      assertThat(told.join().reason()).isEqualTo(LossReason.NOT_RENEWED);
      assertThat(next).as("not after another whole lease").isCompleted();
      assertThat(stillBelieved).as("two holders").isCompletedWithValue(false);
      next.join().close();
    }
  }
}
