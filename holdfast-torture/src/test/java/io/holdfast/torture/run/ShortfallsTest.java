package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.nemesis.PlannedFault;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which failures of clients have an excuse. */
class ShortfallsTest {
  private final Throwable slow = new IllegalStateException("not up in 60 s");

  private final Shortfalls shortfalls = new Shortfalls();

  @Test
  void aClientThatFailsIsAViolation() {
    shortfalls.failed("client c1: it ended by itself");
    assertThat(shortfalls.verdict(3).count()).isEqualTo(1);
    assertThat(shortfalls.untried()).isEmpty();
  }

  @Test
  void aFaultThatCannotBeCarriedOutIsNoVerdict() {
    shortfalls.ofNemesis(Map.of(fault(FaultKind.CUT), slow));
    assertThat(shortfalls.verdict(3).passed()).isTrue();
    assertThat(shortfalls.untried())
        .singleElement()
        .hasToString("fault 7 of the plan, cut: " + slow);
    shortfalls.failed("client c1: it ended by itself");
    assertThat(shortfalls.verdict(3).count()).as("a cut is no excuse").isEqualTo(1);
  }

  @Test
  void aServerThatDoesNotComeBackExcusesItsClients() {
    shortfalls.failed("client c1: it ended by itself");
    shortfalls.ofNemesis(Map.of(fault(FaultKind.SERVER_KILL), slow));
    assertThat(shortfalls.verdict(3).passed()).isTrue();
    assertThat(shortfalls.untried()).hasSize(2);
  }

  private static PlannedFault fault(FaultKind kind) {
    return new PlannedFault(7, kind, 0, 0, 0, "");
  }
}
