package io.holdfast.bench.report;

import static io.holdfast.bench.lock.Subjects.CURATOR_MUTEX;
import static io.holdfast.bench.lock.Subjects.FLOOR;
import static io.holdfast.bench.lock.Subjects.HOLDFAST;
import static io.holdfast.bench.lock.Subjects.REDISSON_PLAIN;
import static io.holdfast.bench.lock.Subjects.SPRING_SPIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.measure.Metric;
import org.junit.jupiter.api.Test;

class ResultTableTest {
  @Test
  void rowsHaveMedianSpreadAndRatio() {
    String table =
        new ResultTable(
                Sketch.of("A", Metric.OPERATIONS)
                    .with(HOLDFAST, 900, 1000, 1100)
                    .with(REDISSON_PLAIN, 450, 500, 500)
                    .result())
            .markdown();
    assertThat(table)
        .contains("|  | locks/s | ratio to Holdfast |", "| **Holdfast** | 1,000 ±10 % | - |")
        .contains("| Redisson | 500 ±5 % | 0.50 |");
  }

  @Test
  void peersThatAreAheadAreNamed() {
    ResultTable table =
        new ResultTable(
            Sketch.of("A", Metric.OPERATIONS)
                .with(FLOOR, 5000) // no peer
                .with(HOLDFAST, 1000)
                .with(SPRING_SPIN, 1200)
                .with(REDISSON_PLAIN, 450, 500, 500)
                .with(CURATOR_MUTEX, 2000) // on another store
                .result());
    assertThat(table.remarks()).containsExactly(SPRING_SPIN.label() + " is ahead of Holdfast.");
  }

  @Test
  void whereLessIsBetterTheSmallerIsAhead() {
    ResultTable table =
        new ResultTable(
            Sketch.of("E", Metric.HANDOVER_P50)
                .with(HOLDFAST, 0.5)
                .with(REDISSON_PLAIN, 0.4)
                .with(SPRING_SPIN, 80)
                .result());
    assertThat(table.remarks()).containsExactly("Redisson is ahead of Holdfast.");
  }

  @Test
  void failuresAreTold() {
    ResultTable table =
        new ResultTable(
            Sketch.of("D", Metric.OPERATIONS)
                .with(HOLDFAST, 1)
                .failed(REDISSON_PLAIN, "stalled\nwith a stack")
                .result());
    assertThat(table.remarks()).containsExactly("Redisson: 1 of 1 rounds failed: stalled");
    assertThat(table.markdown()).contains("| Redisson | - | - |");
  }
}
