package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class WorkerReportTest {
  @Test
  void reportsTravelAsOneWordAndAddUp() {
    WorkerReport one = WorkerReport.decode(report(1_000_000).encoded());
    WorkerReport other = WorkerReport.decode(report(9_000_000_000L).encoded());
    assertThat(report(5).encoded()).doesNotContainAnyWhitespaces();

    WorkerReport sum = WorkerReport.sum(List.of(one, other));

    assertThat(sum.locks()).isEqualTo(2);
    assertThat(sum.waits().valuesAreEquivalent(sum.waits().getMinValue(), 1_000_000)).isTrue();
    assertThat(sum.waits().valuesAreEquivalent(sum.waits().getMaxValue(), 9_000_000_000L)).isTrue();
  }

  @Test
  void aWorkerThatTookNoLockReportsNone() {
    assertThat(WorkerReport.decode(new WorkerReport(WorkerReport.newHistogram()).encoded()).locks())
        .isZero();
  }

  private static WorkerReport report(long waitNanos) {
    Histogram waits = WorkerReport.newHistogram();
    waits.recordValue(waitNanos);
    return new WorkerReport(waits);
  }
}
