package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.WorkerJvm;
import java.time.Duration;
import java.util.List;

/**
 * What lock objects take of the heap, in a fresh process with a collector that counts exactly.
 *
 * @param subjects who takes part
 */
record HeapScenario(List<Subject> subjects) implements Scenario {
  /** What the object takes through which we call the library. */
  private static final int WRAPPER = 16;

  @Override
  public String id() {
    return "G";
  }

  @Override
  public String title() {
    return "heap per lock object, keys not counted";
  }

  @Override
  public List<Metric> metrics() {
    return List.of(Metric.IDLE_BYTES, Metric.HELD_BYTES);
  }

  /** It does not vary. */
  @Override
  public int rounds(Stage stage) {
    return 1;
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    int count = stage.timing().heapLocks();
    try (WorkerJvm worker =
        WorkerJvm.start(
            subject.library(),
            WorkerJvm.command(subject.library(), stage.classPath())
                .options("-XX:+UseSerialGC", "-Xms512m", "-Xmx512m"))) {
      worker.open(subject, stage.url(subject), 1, Duration.ZERO);
      Fields heap = worker.run("heap", stage.newPlace().with("count", count));
      worker.disconnect();
      return new Sample()
          .with(Metric.IDLE_BYTES, heap.number("idleBytes") / (double) count - WRAPPER)
          .with(Metric.HELD_BYTES, heap.number("heldBytes") / (double) count);
    }
  }
}
