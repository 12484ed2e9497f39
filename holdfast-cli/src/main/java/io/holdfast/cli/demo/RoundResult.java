package io.holdfast.cli.demo;

import java.time.Duration;

/**
 * What came out of a round.
 *
 * @param round which one
 * @param sales what was sold
 * @param report what the workers have measured
 * @param time from the word go until the last worker found nothing more to sell
 */
record RoundResult(Round round, Sales sales, WorkerReport report, Duration time) {
  double locksPerSecond() {
    return report.locks() * 1e9 / time.toNanos();
  }

  Duration waitAtPercentile(double percentile) {
    return Duration.ofNanos(report.waits().getValueAtPercentile(percentile));
  }
}
