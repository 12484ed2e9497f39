package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.worker.Fields;
import io.holdfast.bench.worker.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Very many virtual threads on many keys, in a JVM that has them.
 *
 * @param subjects who takes part
 */
record VirtualThreadsScenario(List<Subject> subjects) implements Scenario {
  private static final int KEYS = 1000;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Override
  public String id() {
    return "J";
  }

  @Override
  public String title() {
    return "virtual threads on 1,000 keys";
  }

  @Override
  public List<Metric> metrics() {
    return List.of(
        Metric.OPERATIONS, Metric.SECONDS, Metric.WAITING_BYTES, Metric.PINNED, Metric.FAILED);
  }

  @Override
  public int rounds(Stage stage) {
    return 1;
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    Path jdk = stage.newerJdk();
    if (jdk == null) {
      return Sample.failed("not run: no JDK 21 or newer was named");
    }
    int threads = stage.timing().virtualThreads();
    try (WorkerJvm worker =
        WorkerJvm.start(
            subject.library(),
            WorkerJvm.command(subject.library(), stage.classPath())
                .home(jdk)
                .options("--sun-misc-unsafe-memory-access=allow", "-Xmx2g"))) {
      worker.open(subject, stage.url(subject), 1, Duration.ZERO);
      worker.begin(
          "virtual",
          stage
              .newPlace()
              .with("threads", threads)
              .with("keys", KEYS)
              .with("limitMillis", LIMIT.toMillis()));
      Fields result = worker.result(LIMIT.plusMinutes(2));
      worker.disconnect();
      double seconds = result.number("nanos") / 1e9;
      return new Sample()
          .with(Metric.OPERATIONS, (threads - result.number("failed")) / seconds)
          .with(Metric.SECONDS, seconds)
          .with(Metric.WAITING_BYTES, result.number("waitingBytes") / (double) threads)
          .with(Metric.PINNED, (double) result.number("pinned"))
          .with(Metric.FAILED, (double) result.number("failed"));
    }
  }
}
