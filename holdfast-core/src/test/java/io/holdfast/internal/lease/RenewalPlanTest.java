package io.holdfast.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When a lease of 30 s, renewed every 10 s, is renewed. Times are milliseconds since the grant. */
class RenewalPlanTest {
  private static final LockConfig CONFIG =
      LockConfig.builder().lockKey("k").leaseTime(30).renewalTime(10).build();

  private static RenewalPlan plan(boolean renewing, long grantedMillis) {
    return new RenewalPlan(CONFIG, at(30_000), renewing, 0, at(grantedMillis));
  }

  private static long at(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  @Test
  void itIsDueAfterTheRenewalTime() {
    RenewalPlan plan = plan(true, 30_000);
    assertThat(plan.isDue(at(9_999))).isFalse();
    assertThat(plan.isDue(at(10_000))).isTrue();
  }

  @Test
  void aLeaseOfItsOwnIsNeverRenewed() {
    assertThat(plan(false, 30_000).isPlanned()).isFalse();
  }

  @Test
  void aGrantOfAPartOfTheLeaseIsConfirmedAfterAThirdOfThatPart() {
    assertThat(plan(true, 1_500).at()).isEqualTo(at(500));
    assertThat(plan(false, 1_500).at()).isEqualTo(at(500));
  }

  @Test
  void oneIsUnderWayAtATime() {
    RenewalPlan plan = plan(true, 30_000);
    plan.started(at(10_000));
    assertThat(plan.isDue(at(20_000))).isFalse();
    assertThat(plan.answered(at(10_000), at(30_000), at(30_000))).isTrue();
    assertThat(plan.at()).isEqualTo(at(20_000));
  }

  @Test
  void anOlderAnswerChangesNothing() {
    RenewalPlan plan = plan(true, 30_000);
    assertThat(plan.answered(at(12_000), at(30_000), at(30_000))).isTrue();
    assertThat(plan.answered(at(10_000), at(30_000), at(30_000))).isFalse();
    assertThat(plan.at()).isEqualTo(at(22_000));
    assertThat(plan.confirmedAt()).isEqualTo(at(12_000));
  }

  @Test
  void aFailedOneIsTriedAgain() {
    RenewalPlan plan = plan(true, 30_000);
    plan.started(at(10_000));
    plan.failed(at(10_200));
    assertThat(plan.isDue(at(10_199))).isFalse();
    assertThat(plan.isDue(at(10_200))).isTrue();
    assertThat(plan.record()).isEqualTo("0 of 1 renewals were answered");
  }

  @Test
  void itIsLateAfterOneAndAHalfRenewalTimesAndDeadIfNothingIsTried() {
    RenewalPlan plan = plan(true, 30_000);
    assertThat(plan.lateBy(at(15_000))).isZero();
    assertThat(plan.lateBy(at(15_001))).isPositive();
    assertThat(plan.isDead(at(15_001))).isTrue();
    plan.started(at(11_000));
    assertThat(plan.isDead(at(15_001))).isFalse();
    assertThat(plan.isDead(at(16_001))).isTrue();
  }

  @Test
  void aRestartMakesItDueAndIsToldOnce() {
    RenewalPlan plan = plan(true, 30_000);
    plan.started(at(10_000));
    plan.restart(at(17_000));
    assertThat(plan.isDue(at(17_000))).isTrue();
    assertThat(plan.takeRestarted()).isTrue();
    assertThat(plan.takeRestarted()).isFalse();
  }
}
