package io.holdfast.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** A cell tells things in the order in which they happened, and does not hide what is wrong. */
class ObservationTest {
  private static final OptionalLong NEVER = OptionalLong.empty();

  @Test
  void whatWasKeptIsKept() {
    assertThat(new Observation(true, NEVER, NEVER, OptionalLong.of(3), true, "").text())
        .isEqualTo("kept");
  }

  @Test
  void theEarlierComesFirst() {
    assertThat(seen(2900, 3012, true)).isEqualTo("told 2,900, next 3,012");
    assertThat(seen(12, 5, true)).isEqualTo("next 5, told 12");
  }

  @Test
  void aTokenThatDoesNotGrowAndALockThatNobodyGetsAreSaid() {
    assertThat(seen(1, 2, false)).isEqualTo("told 1, next 2, **token not larger**");
    assertThat(new Observation(false, OptionalLong.of(7), NEVER, NEVER, false, "x").text())
        .isEqualTo("told 7, **nobody got it**, x");
  }

  private static String seen(long told, long next, boolean larger) {
    return new Observation(false, OptionalLong.of(told), NEVER, OptionalLong.of(next), larger, "")
        .text();
  }
}
