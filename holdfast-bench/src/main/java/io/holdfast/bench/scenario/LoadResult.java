package io.holdfast.bench.scenario;

import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.store.Traffic;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.Histograms;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * What the workers of a load report.
 *
 * @param millis how long it lasted
 * @param reports one per worker
 * @param outOfOrder true if it was counted who asked before whom
 */
record LoadResult(long millis, List<Fields> reports, boolean outOfOrder) {
  private static final double NANOS_PER_MICRO = 1000;

  /** Acquisitions, including those that ended after the time was up. */
  long total() {
    return sum("total");
  }

  /** How long all compilers together were busy. */
  long compileMillis() {
    return sum("compileMillis");
  }

  Sample sample(Traffic traffic, Map<String, Double> shares, long serverCpuNanos) {
    Histogram acquire = histogram("acquire");
    Histogram pair = histogram("pair");
    double total = total();
    Sample sample =
        new Sample()
            .with(Metric.OPERATIONS, pair.getTotalCount() * 1000.0 / millis)
            .with(Metric.ACQUIRE_P50, acquire.getValueAtPercentile(50) / NANOS_PER_MICRO)
            .with(Metric.ACQUIRE_P99, acquire.getValueAtPercentile(99) / NANOS_PER_MICRO)
            .with(Metric.PAIR_P50, pair.getValueAtPercentile(50) / NANOS_PER_MICRO)
            .with(Metric.PAIR_P99, pair.getValueAtPercentile(99) / NANOS_PER_MICRO)
            .with(Metric.CLIENT_CPU, sum("cpuNanos") / NANOS_PER_MICRO / total)
            .with(Metric.SERVER_CPU, serverCpuNanos / NANOS_PER_MICRO / total)
            .with(Metric.ALLOCATED, sum("allocatedBytes") / total)
            .with(Metric.THREAD_SHARE, share(reports.stream().flatMap(LoadResult::perThread)))
            .with(
                Metric.PROCESS_SHARE,
                share(reports.stream().map(report -> report.number("operations"))));
    if (outOfOrder) {
      sample.with(Metric.OUT_OF_ORDER, sum("outOfOrder") / total);
    }
    if (traffic.known()) {
      sample.with(Metric.COMMANDS, traffic.total(shares) / total);
    }
    if (traffic.bytes() >= 0) {
      sample.with(Metric.BYTES, traffic.bytes() / total);
    }
    return sample;
  }

  private Histogram histogram(String name) {
    Histogram all = Histograms.empty();
    reports.forEach(report -> all.add(Histograms.decode(report.text(name))));
    return all;
  }

  private long sum(String name) {
    return reports.stream().mapToLong(report -> report.number(name)).sum();
  }

  private static Stream<Long> perThread(Fields report) {
    return Stream.of(report.text("perThread").split(",", -1)).map(Long::valueOf);
  }

  /** The smallest as a part of the largest. */
  private static double share(Stream<Long> numbers) {
    List<Long> sorted = numbers.sorted().toList();
    return sorted.get(0) / (double) sorted.get(sorted.size() - 1);
  }
}
