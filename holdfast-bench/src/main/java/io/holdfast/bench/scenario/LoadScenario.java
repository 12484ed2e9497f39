package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.store.Traffic;
import io.holdfast.bench.worker.WorkerJvm;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Processes with threads that lock and unlock as fast as they can.
 *
 * @param id the letter
 * @param title one line
 * @param layout who does it
 * @param subjects who takes part
 * @param metrics the columns
 */
record LoadScenario(
    String id, String title, LoadLayout layout, List<Subject> subjects, List<Metric> metrics)
    implements Scenario {

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    List<WorkerJvm> workers = stage.workers().get(subject.library(), layout.processes());
    try {
      for (WorkerJvm worker : workers) {
        worker.open(subject, stage.url(subject), layout.clientsPerProcess(), Duration.ZERO);
      }
      Sample sample = measure(subject, stage, workers);
      for (WorkerJvm worker : workers) {
        worker.disconnect();
      }
      return sample;
    } catch (WorkerFailedException e) {
      stage.workers().discard(subject.library());
      throw e;
    }
  }

  private Sample measure(Subject subject, Stage stage, List<WorkerJvm> workers)
      throws InterruptedException {
    LoadRun run = new LoadRun(layout, subject, workers);
    StoreServer server = stage.server(subject);
    stage.warmUp(this, subject, millis -> run.go(stage.newPlace(), millis).compileMillis());
    long watch = stage.timing().watch().toMillis();
    Map<String, Double> shares =
        stage.shares(this, subject, () -> run.go(stage.newPlace(), watch).total());
    Traffic trafficBefore = server.traffic();
    long cpuBefore = server.cpuNanos();
    LoadResult result = run.go(stage.newPlace(), stage.timing().slice().toMillis());
    long cpu = server.cpuNanos() - cpuBefore;
    Traffic traffic = server.traffic().since(trafficBefore);
    return result.sample(traffic, shares, cpu);
  }
}
