package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.store.Store;
import io.holdfast.bench.worker.Fields;
import java.util.List;

/**
 * Every engine of ours on the same work: alone, contended between two processes, and handed over.
 * Where processes cannot share the store (memory), two managers of one process stand for them.
 *
 * @param subjects the engines
 */
record EnginesScenario(List<Subject> subjects) implements Scenario {
  private static final int THREADS = 4;

  @Override
  public String id() {
    return "L";
  }

  @Override
  public String title() {
    return "every engine of ours on the same work";
  }

  @Override
  public List<Metric> metrics() {
    return List.of(
        Metric.OPERATIONS,
        Metric.ACQUIRE_P50,
        Metric.ACQUIRE_P99,
        Metric.COMMANDS,
        Metric.CONTENDED,
        Metric.CONTENDED_COMMANDS,
        Metric.HANDOVER_P50,
        Metric.HANDOVER_P99);
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    List<Subject> one = List.of(subject);
    Sample alone = load("L alone", LoadLayout.ownKeys(1), one).run(subject, stage);
    Sample contended = load("L contended", contended(subject), one).run(subject, stage);
    Sample handover = new HandoverScenario("L handoff", "", one).run(subject, stage);
    Sample all = new Sample();
    alone.values().forEach(all::with);
    contended.get(Metric.OPERATIONS).ifPresent(value -> all.with(Metric.CONTENDED, value));
    contended.get(Metric.COMMANDS).ifPresent(value -> all.with(Metric.CONTENDED_COMMANDS, value));
    handover.values().forEach(all::with);
    if (subject.store() == Store.SQLITE) {
      all.with(Metric.COMMANDS, statements(subject, stage));
    }
    return all;
  }

  /** A file does not count what is done to it, so the process does. */
  private static double statements(Subject subject, Stage stage) throws InterruptedException {
    Fields counted =
        stage
            .workers()
            .get(subject.library(), 1)
            .get(0)
            .run(
                "statements",
                stage
                    .newPlace()
                    .with("library", subject.library())
                    .with("kind", subject.kind())
                    .with("url", stage.url(subject)));
    return counted.number("statements") / (double) counted.number("locks");
  }

  private static LoadLayout contended(Subject subject) {
    return subject.store().sharedByProcesses()
        ? LoadLayout.oneKey(2, THREADS)
        : new LoadLayout(1, 2, 2 * THREADS, true);
  }

  private static LoadScenario load(String id, LoadLayout layout, List<Subject> subjects) {
    return new LoadScenario(id, "", layout, subjects, List.of());
  }
}
