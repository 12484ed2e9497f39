package io.holdfast.bench.report;

import static io.holdfast.bench.lock.Subjects.FLOOR;
import static io.holdfast.bench.lock.Subjects.HOLDFAST;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static io.holdfast.bench.lock.Subjects.SPRING_PUBSUB;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
  @Test
  void ratiosAreTakenFromTheRunWithoutADelay() {
    Result direct =
        Sketch.of("A", Metric.OPERATIONS).with(FLOOR, 1000).with(HOLDFAST, 950).result();
    Result delayed =
        Sketch.of("A", Metric.OPERATIONS).with(FLOOR, 1000).with(HOLDFAST, 10).result(true);
    Target target = find("A", "share of the floor", List.of(delayed, direct));
    assertThat(target.measured()).isEqualTo("0.95");
    assertThat(target.verdict()).isEqualTo("met");
  }

  @Test
  void theBestPeerIsTheSmallestWhereLessIsBetter() {
    Result handover =
        Sketch.of("E", Metric.HANDOVER_P50)
            .with(HOLDFAST, 0.5)
            .with(REDISSON_PLAIN, 0.6)
            .with(SPRING_PUBSUB, 0.4)
            .result();
    Target target = find("E", "p50, share of the best peer's", List.of(handover));
    assertThat(target.measured()).isEqualTo("1.25");
    assertThat(target.verdict()).isEqualTo("**missed**");
  }

  @Test
  void theRangeOfTheRoundsIsTold() {
    Result result =
        Sketch.of("B", Metric.OPERATIONS)
            .with(FLOOR, 1000, 2000, 1000)
            .with(HOLDFAST, 800, 1900, 1000)
            .result();
    Target target = find("B", "share of the floor", List.of(result));
    assertThat(target.measured()).isEqualTo("0.95 (0.80 to 1)");
    assertThat(target.verdict()).isEqualTo("met");
  }

  @Test
  void whatWasNotMeasuredIsNeitherMetNorMissed() {
    Result onlyRedisson = Sketch.of("G", Metric.IDLE_BYTES).with(REDISSON_PLAIN, 216).result();
    Target target = find("G", "bytes per idle lock", List.of(onlyRedisson));
    assertThat(target.measured()).isEqualTo("not measured");
    assertThat(target.verdict()).isEqualTo("-");
  }

  @Test
  void whatWasNotPartOfTheRunIsNotListed() {
    Result growth = Sketch.of("I64", Metric.COMMANDS).with(HOLDFAST, 3).result();
    assertThat(Targets.of(List.of(growth))).extracting(Target::scenario).containsOnly("I");
  }

  private static Target find(String scenario, String text, List<Result> results) {
    return Targets.of(results).stream()
        .filter(target -> target.scenario().equals(scenario) && target.text().equals(text))
        .findFirst()
        .orElseThrow();
  }
}
