package io.holdfast.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockConfig;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a tenure stays in its process. It is granted at 0 ms, and the store proves it at 0 ms. */
class HandoffPolicyTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private static Tenure tenure(boolean fair, boolean contended, @Nullable Long since, int tokens) {
    LockConfig config =
        LockConfig.builder()
            .lockKey("k")
            .fair(fair)
            .handoffLimit(2)
            .handoffTime(Duration.ofMillis(500))
            .linger(Duration.ofSeconds(1))
            .build();
    return new Tenure(
        resource(),
        new Owner("client", "1-a"),
        spec(config, LEASE),
        new TokenBlock(1, tokens),
        0,
        LEASE,
        contended,
        since);
  }

  private static AcquireSpec spec(LockConfig config, Duration lease) {
    return new AcquireSpec(config, Claim.EXCLUSIVE, true, lease, true, AcquireSpec.FOREVER, true);
  }

  private static TenureListener resource() {
    return new TenureListener() {
      @Override
      public Resource resource() {
        return Resource.lock("k");
      }

      @Override
      public void tenureLost(Tenure lost) {}
    };
  }

  private static long millis(long millis) {
    return millis * 1_000_000;
  }

  @ParameterizedTest(name = "fair {0}, contended {1}, {2} handoffs, at {3} ms: {4}")
  @CsvSource({
    "false, false, 0,    0, true",
    "false, false, 9,  900, true", // nobody else waits: no bound
    "false, false, 0, 1001, false", // the store has proved it too long ago
    "false, true,  0,    0, true",
    "false, true,  1,  499, true",
    "false, true,  2,    0, false", // handoffLimit
    "false, true,  0,  500, false", // handoffTime
    "true,  false, 9,  900, true",
    "true,  true,  0,    0, false", // in strict order the arrival decides
  })
  void othersBoundHowLongItStays(
      boolean fair, boolean contended, int handoffs, long at, boolean stays) {
    Tenure tenure = tenure(fair, contended, null, 100);
    for (int i = 0; i < handoffs; i++) {
      tenure.handoff().handedOn();
    }
    assertThat(tenure.handoff().mayHandOn(fair, millis(at))).isEqualTo(stays);
  }

  @ParameterizedTest(name = "contender since {0} ms, local waiter since {1} ms: {2}")
  @CsvSource({"10, 9, true", "10, 10, false", "10, 11, false", ", 5, false"})
  void inStrictOrderTheFirstArrivalIsServed(@Nullable Long contender, long local, boolean stays) {
    @Nullable Long since = contender == null ? null : millis(contender);
    Tenure tenure = tenure(true, true, since, 100);
    assertThat(tenure.handoff().mayHandOnTo(millis(local), millis(20))).isEqualTo(stays);
  }

  @Test
  void theFirstContenderCountsInWhateverOrderTheyAreHeardOf() {
    Tenure tenure = tenure(true, false, null, 100);
    tenure.contended(millis(20));
    tenure.contended(millis(10));
    tenure.contended(null);
    assertThat(tenure.handoff().mayHandOnTo(millis(9), millis(30))).isTrue();
    assertThat(tenure.handoff().mayHandOnTo(millis(15), millis(30))).isFalse();
  }

  @Test
  void itGoesBackWithItsLastToken() {
    Tenure tenure = tenure(false, false, null, 1);
    assertThat(tenure.handoff().mayHandOn(false, 0)).isTrue();
    tenure.takeToken();
    assertThat(tenure.handoff().mayHandOn(false, 0)).isFalse();
  }

  @Test
  void itFitsOnlyAHoldWithTheSameLease() {
    Tenure tenure = tenure(false, false, null, 100);
    LockConfig config = tenure.config();
    assertThat(tenure.handoff().fits(spec(config, LEASE), 0)).isTrue();
    assertThat(tenure.handoff().fits(spec(config, LEASE.plusMillis(1)), 0)).isFalse();
  }

  @Test
  void itLingersUntilAnotherProcessWaits() {
    Tenure tenure = tenure(false, false, null, 100);
    assertThat(tenure.handoff().mayLinger(0)).isTrue();
    tenure.contended(null);
    assertThat(tenure.handoff().mayLinger(0)).isFalse();
  }

  @Test
  void aLostTenureGoesNowhere() {
    Tenure tenure = tenure(false, false, null, 100);
    tenure.end();
    assertThat(tenure.handoff().mayHandOn(false, 0)).isFalse();
    assertThat(tenure.handoff().mayLinger(0)).isFalse();
  }
}
