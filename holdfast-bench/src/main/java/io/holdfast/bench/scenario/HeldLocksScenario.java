package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.store.Traffic;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.Histograms;
import io.holdfast.bench.worker.WorkerJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Many locks that are held: what it costs to keep them alive, and to look after them. With a long
 * lease nothing has to be renewed while it is measured, so that what is left is the watchdog's.
 * Beside them another lock is taken again and again: how long that takes at worst shows whether
 * anything stood still.
 *
 * @param id the letter
 * @param title the head of the table
 * @param lease of the locks
 * @param probed whether to take that other lock; its own commands are not counted
 * @param subjects who takes part
 */
record HeldLocksScenario(
    String id, String title, Duration lease, boolean probed, List<Subject> subjects)
    implements Scenario {
  @Override
  public List<Metric> metrics() {
    List<Metric> metrics =
        new ArrayList<>(
            List.of(
                Metric.COMMANDS_PER_SECOND,
                Metric.SERVER_LOAD,
                Metric.CLIENT_LOAD,
                Metric.THREADS,
                Metric.LOST));
    if (probed) {
      metrics.addAll(List.of(Metric.PAIR_P50, Metric.PAIR_P99, Metric.PAIR_MAX));
    }
    return metrics;
  }

  private static final Duration SETTLING = Duration.ofSeconds(3);

  /** It takes long. */
  @Override
  public int rounds(Stage stage) {
    return stage.timing().holdings();
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    StoreServer server = stage.server(subject);
    WorkerJvm worker = stage.workers().get(subject.library(), 1).get(0);
    try {
      worker.open(subject, stage.url(subject), 1, lease);
      Fields place = stage.newPlace().with("count", stage.timing().heldLocks());
      worker.run("hold", place);
      String probe = probed ? place.text("key") + ":probe" : "";
      stage.warmUp(
          this,
          subject,
          millis -> keep(worker, Duration.ofMillis(millis), probe).number("compileMillis"));
      Map<String, Double> shares =
          stage.shares(
              this,
              subject,
              () -> {
                keep(worker, SETTLING, probe);
                return stage.timing().heldLocks();
              });
      Traffic trafficBefore = server.traffic();
      long cpuBefore = server.cpuNanos();
      Duration holding = stage.timing().holding();
      Fields kept = keep(worker, holding, probe);
      double seconds = holding.toMillis() / 1000.0;
      double serverCpu = (server.cpuNanos() - cpuBefore) / 1e9;
      // so little is done that compilers, which come and go, would be most of it for minutes
      double clientCpu = (kept.number("cpuNanos") - kept.number("compilerNanos")) / 1e7;
      Traffic traffic = server.traffic().since(trafficBefore);
      Fields end = worker.run("giveBack", new Fields());
      worker.disconnect();
      Histogram probes = Histograms.decode(kept.text("probes"));
      double commands = traffic.total(shares) - 2.0 * probes.getTotalCount();
      Sample sample = new Sample();
      if (probed) {
        sample
            .with(Metric.PAIR_P50, probes.getValueAtPercentile(50) / 1000.0)
            .with(Metric.PAIR_P99, probes.getValueAtPercentile(99) / 1000.0)
            .with(Metric.PAIR_MAX, probes.getMaxValue() / 1000.0);
      }
      return sample
          .with(Metric.COMMANDS_PER_SECOND, commands / seconds)
          .with(Metric.SERVER_LOAD, 100 * serverCpu / seconds)
          .with(Metric.CLIENT_LOAD, clientCpu / seconds)
          .with(Metric.THREADS, (double) kept.number("threads"))
          .with(Metric.LOST, (double) end.number("lost"));
    } catch (WorkerFailedException e) {
      stage.workers().discard(subject.library());
      throw e;
    }
  }

  private static Fields keep(WorkerJvm worker, Duration time, String probe)
      throws InterruptedException {
    worker.begin("keep", new Fields().with("millis", time.toMillis()).with("probe", probe));
    return worker.result(time.plusSeconds(60));
  }
}
