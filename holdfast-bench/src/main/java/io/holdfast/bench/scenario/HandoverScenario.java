package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.Histograms;
import io.holdfast.bench.worker.WorkerJvm;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Two processes pass a lock back and forth: from unlock() called in one to lock() returned in the
 * other. Where processes cannot share the store, two managers of one process do. So few are
 * measured that code would stay uncompiled for minutes; therefore both warm up by passing the lock
 * back and forth as fast as they can.
 *
 * @param id the letter
 * @param title one line
 * @param subjects who takes part
 */
record HandoverScenario(String id, String title, List<Subject> subjects) implements Scenario {
  private static final double NANOS_PER_MILLI = 1e6;

  /** Hand-overs are slow compared with the rest, and percentiles want many of them. */
  private static final int SLICES = 4;

  @Override
  public List<Metric> metrics() {
    return List.of(Metric.HANDOVER_P50, Metric.HANDOVER_P99, Metric.HANDOVERS);
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    boolean two = subject.store().sharedByProcesses();
    List<WorkerJvm> workers = stage.workers().get(subject.library(), two ? 2 : 1);
    try {
      for (WorkerJvm worker : workers) {
        worker.open(subject, stage.url(subject), two ? 1 : 2, Duration.ZERO);
      }
      LoadLayout asFastAsTheyCan = two ? LoadLayout.oneKey(2, 1) : LoadLayout.managers(2);
      LoadRun warmUp = new LoadRun(asFastAsTheyCan, subject, workers);
      stage.warmUp(this, subject, millis -> warmUp.go(stage.newPlace(), millis).compileMillis());
      go(workers, stage, stage.timing().warmUp().toMillis());
      Histogram times = go(workers, stage, SLICES * stage.timing().slice().toMillis());
      for (WorkerJvm worker : workers) {
        worker.disconnect();
      }
      if (times.getTotalCount() == 0) {
        return Sample.failed("no handoff was seen");
      }
      return new Sample()
          .with(Metric.HANDOVER_P50, times.getValueAtPercentile(50) / NANOS_PER_MILLI)
          .with(Metric.HANDOVER_P99, times.getValueAtPercentile(99) / NANOS_PER_MILLI)
          .with(Metric.HANDOVERS, (double) times.getTotalCount());
    } catch (WorkerFailedException e) {
      stage.workers().discard(subject.library());
      throw e;
    }
  }

  private static Histogram go(List<WorkerJvm> workers, Stage stage, long millis)
      throws InterruptedException {
    Fields place = stage.newPlace();
    long start = System.nanoTime();
    for (int role = 0; role < workers.size(); role++) {
      workers
          .get(role)
          .begin(
              "handover",
              new Fields()
                  .with("key", place.text("key"))
                  .with("page", place.text("page"))
                  .with("both", workers.size() == 1)
                  .with("role", role)
                  .with("startNanos", start)
                  .with("millis", millis));
    }
    Histogram times = Histograms.empty();
    for (WorkerJvm worker : workers) {
      Fields report = worker.result(Duration.ofMillis(millis).plusSeconds(60));
      times.add(Histograms.decode(report.text("handovers")));
    }
    return times;
  }
}
