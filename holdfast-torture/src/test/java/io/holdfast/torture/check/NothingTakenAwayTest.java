package io.holdfast.torture.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Scene;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that vanishes from the store before its lease is over, and nothing was broken. */
class NothingTakenAwayTest {
  private static final CheckSettings SETTINGS = CheckSettings.of(Duration.ofSeconds(1));

  @Test
  void aLockThatVanishesEarlyIsAViolation() {
    assertThat(verdict(lostAt(5500, "GONE_FROM_STORE")).status())
        .isEqualTo(Verdict.Status.VIOLATED);
  }

  @Test
  void oneThatVanishesWhenItsLeaseIsOverIsNot() {
    assertThat(verdict(lostAt(5950, "GONE_FROM_STORE")).passed()).isTrue();
  }

  @Test
  void oneThatWasNotRenewedIsNot() {
    assertThat(verdict(lostAt(5500, "NOT_RENEWED")).passed()).isTrue();
  }

  @Test
  void nearAFaultItIsNot() {
    Scene scene = lostAt(5500, "GONE_FROM_STORE").fault(5400, 5450, "", "", "");
    assertThat(verdict(scene).passed()).isTrue();
  }

  private static Scene lostAt(long millis, String reason) {
    return new Scene()
        .obtain(5000, 5010, "A1")
        .event(millis, "A", 0, Phase.NOTE, Action.LOST, Detail.HOLDER, "A1", Detail.TEXT, reason);
  }

  private static Verdict verdict(Scene scene) {
    return new NothingTakenAway().check(scene.index(), SETTINGS);
  }
}
