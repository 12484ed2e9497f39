package io.holdfast.metrics;

import io.holdfast.Finding;
import io.holdfast.LossReason;
import java.util.concurrent.atomic.LongAdder;

/** The running numbers of one family of locks in {@link InMemoryMetrics}. */
final class FamilyCounts {
  final Histogram waited = new Histogram();
  final Histogram held = new Histogram();
  final Histogram passed = new Histogram();
  final LongAdder gaveUp = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder requestsFailed = new LongAdder();
  final LongAdder renewed = new LongAdder();
  final LongAdder renewalsFailed = new LongAdder();
  final LongAdder releasesFailed = new LongAdder();
  final LongAdder degraded = new LongAdder();
  final EnumCounts<LossReason> lost = new EnumCounts<>(LossReason.class);
  final EnumCounts<Finding.Kind> findings = new EnumCounts<>(Finding.Kind.class);
  final LongAdder alerts = new LongAdder();
  final LongAdder recovered = new LongAdder();
  final LongAdder recoveriesFailed = new LongAdder();

  MetricsSnapshot.Family snapshot() {
    return new MetricsSnapshot.Family(
        InMemoryMetrics.timing(waited),
        InMemoryMetrics.timing(held),
        InMemoryMetrics.timing(passed),
        gaveUp.sum(),
        failed.sum(),
        requestsFailed.sum(),
        renewed.sum(),
        renewalsFailed.sum(),
        releasesFailed.sum(),
        degraded.sum(),
        lost.positive(),
        findings.positive(),
        alerts.sum(),
        recovered.sum(),
        recoveriesFailed.sum());
  }
}
