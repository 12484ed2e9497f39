package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.store.Traffic;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.WorkerJvm;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Many locks with a short lease, held and kept alive by their library.
 *
 * @param subjects who takes part
 */
record HeldLocksScenario(List<Subject> subjects) implements Scenario {
  private static final Duration LEASE = Duration.ofSeconds(3);

  @Override
  public String id() {
    return "F";
  }

  @Override
  public String title() {
    return "many held locks kept alive, lease 3 s";
  }

  @Override
  public List<Metric> metrics() {
    return List.of(
        Metric.COMMANDS_PER_SECOND,
        Metric.SERVER_LOAD,
        Metric.CLIENT_LOAD,
        Metric.THREADS,
        Metric.LOST);
  }

  /** It takes long and varies little. */
  @Override
  public int rounds(Stage stage) {
    return 1;
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    StoreServer server = stage.server(subject);
    WorkerJvm worker = stage.workers().get(subject.library(), 1).get(0);
    try {
      worker.open(subject, stage.url(subject), 1, LEASE);
      Fields place = stage.newPlace().with("count", stage.timing().heldLocks());
      worker.run("hold", place);
      Map<String, Double> shares =
          stage.shares(
              this,
              subject,
              () -> {
                keep(worker, LEASE);
                return stage.timing().heldLocks();
              });
      Traffic trafficBefore = server.traffic();
      long cpuBefore = server.cpuNanos();
      Duration holding = stage.timing().holding();
      Fields kept = keep(worker, holding);
      double seconds = holding.toMillis() / 1000.0;
      double serverCpu = (server.cpuNanos() - cpuBefore) / 1e9;
      Traffic traffic = server.traffic().since(trafficBefore);
      Fields end = worker.run("giveBack", new Fields());
      worker.disconnect();
      return new Sample()
          .with(Metric.COMMANDS_PER_SECOND, traffic.total(shares) / seconds)
          .with(Metric.SERVER_LOAD, 100 * serverCpu / seconds)
          .with(Metric.CLIENT_LOAD, kept.number("cpuNanos") / 1e7 / seconds)
          .with(Metric.THREADS, (double) kept.number("threads"))
          .with(Metric.LOST, (double) end.number("lost"));
    } catch (WorkerFailedException e) {
      stage.workers().discard(subject.library());
      throw e;
    }
  }

  private static Fields keep(WorkerJvm worker, Duration time) throws InterruptedException {
    worker.begin("keep", new Fields().with("millis", time.toMillis()));
    return worker.result(time.plusSeconds(60));
  }
}
