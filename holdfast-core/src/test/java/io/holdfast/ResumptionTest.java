package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Taking back, and leases that the store shortens. */
@Timeout(600)
class ResumptionTest {
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final LockManager manager =
      time.drive(LockManager.builder("memory:")).engine(store).build();

  @AfterEach
  void close() {
    manager.close();
  }

  private static LockConfig config(Duration watchdogPeriod) {
    return LockConfig.builder()
        .lockKey("k")
        .leaseTime(90)
        .watchdogPeriod(watchdogPeriod)
        .recoveryStrategy(RecoveryStrategy.ALL)
        .build();
  }

  /**
   * check answers "gone" -> the owner closes its lease (the store: not held) -> the watchdog's
   * renewal with a resumption, decided on before, reaches the store after the release.
   */
  @Test
  void aLeaseThatWasClosedWhileTheWatchdogTakesItBackStaysClosed() {
    Lease lease = manager.getLock(config(Duration.ofSeconds(5))).acquire();
    memory.remove("k");
    store.answer(
        "renew",
        call -> {
          store.answerNormally("renew");
          assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
          return call.proceed();
        });
    time.advance(Duration.ofSeconds(6));

    assertThat(lease.isValid()).isFalse();
    assertThat(memory.size()).as("what the store has after the release").isZero();
  }

  /** The same with the ordinary renewal. */
  @Test
  void aLeaseThatWasClosedWhileItsRenewalSetsOutStaysClosed() {
    Lease lease = manager.getLock(config(Duration.ofSeconds(40))).acquire();
    memory.remove("k");
    store.answer(
        "renew",
        call -> {
          store.answerNormally("renew");
          assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class);
          return call.proceed();
        });
    time.advance(Duration.ofSeconds(31));

    assertThat(memory.size()).as("what the store has after the release").isZero();
  }

  /** "leaseMillis the lease; what was asked for, or less": less than what was left before. */
  @Test
  void aRenewalThatTheStoreShortensShortensTheDeadline() {
    LockConfig config = LockConfig.builder().lockKey("k").leaseTime(30).renewalTime(5).build();
    Lease lease = manager.getLock(config).acquire();
    store.answer(
        "renew",
        call -> {
          RenewRequest asked = (RenewRequest) ((List<?>) call.argument(0)).get(0);
          memoryRenew(call, asked);
          return CutOff.done(List.<RenewResult>of(new RenewResult.Renewed(3000, false)));
        });
    time.advance(Duration.ofMillis(5001));
    store.answer("renew", call -> CutOff.done(CutOff.unknownFor((List<?>) call.argument(0))));
    time.advance(Duration.ofSeconds(4)); // the store's three seconds are over

    assertThat(lease.isValid()).as("one second after the end of the lease in the store").isFalse();
  }

  private static void memoryRenew(WatchedStore.Call call, RenewRequest asked) {
    assertThat(asked.leaseMillis()).isEqualTo(30_000);
    assertThat(call.name()).isEqualTo("renew");
  }

  /** One that cannot be renewed because its key is something else by now must not harm others. */
  @Test
  void aKeyThatBecameSomethingElseDoesNotKeepOthersFromBeingRenewed() {
    try (LockManager theirs = time.drive(LockManager.builder("memory:")).engine(store).build()) {
      Lease a = manager.getLock("a").acquire();
      Lease b = manager.getLock("b").acquire();
      memory.remove("a");
      Lease permit = theirs.getSemaphore("a", 2).acquire();
      time.advance(Duration.ofSeconds(60));

      assertThat(permit.isValid()).isTrue();
      assertThat(a.isValid()).isFalse();
      assertThat(b.isValid()).as("b, which is in the same batch").isTrue();
    }
  }
}
