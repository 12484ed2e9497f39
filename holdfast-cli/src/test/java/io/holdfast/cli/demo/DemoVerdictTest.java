package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoVerdictTest {
  private static final Sales GOOD = Sales.of(List.of("2", "1"));
  private static final Sales BAD = Sales.of(List.of("2", "2", "2", "1"));

  @Test
  void onlyOversellingWithTheLockIsAFailure() {
    assertThat(DemoCommand.exitCode(rounds(BAD, GOOD))).isZero();
    assertThat(DemoCommand.exitCode(rounds(GOOD, GOOD))).isZero();
    assertThat(DemoCommand.exitCode(rounds(BAD, BAD))).isEqualTo(1);
  }

  @Test
  void aLockThatDidNotHoldIsNotPraised() {
    StringWriter text = new StringWriter();
    Screen screen = new Screen(new PrintWriter(text), false, false, false);

    new Summary(screen, new DemoSettings(null, 1, 1, 2, "key")).print(rounds(BAD, BAD));

    assertThat(text.toString())
        .contains("With the lock 2 items were sold 4 times; item 2 alone had 3 buyers.")
        .doesNotContain("exactly once");
  }

  private static List<RoundResult> rounds(Sales without, Sales with) {
    WorkerReport report = new WorkerReport(WorkerReport.newHistogram());
    return List.of(
        new RoundResult(Round.WITHOUT_LOCK, without, report, Duration.ofSeconds(1)),
        new RoundResult(Round.WITH_LOCK, with, report, Duration.ofSeconds(1)));
  }
}
