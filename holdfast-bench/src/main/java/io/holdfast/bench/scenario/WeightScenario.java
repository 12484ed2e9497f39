package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.bench.worker.FirstLockMain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What comes along with a library, and how long a process takes from its start to its first lock.
 *
 * @param subjects who takes part
 */
record WeightScenario(List<Subject> subjects) implements Scenario {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Override
  public String id() {
    return "H";
  }

  @Override
  public String title() {
    return "jars, megabytes, start to first lock";
  }

  @Override
  public List<Metric> metrics() {
    return List.of(
        Metric.FIRST_LOCK, Metric.JARS, Metric.MEGABYTES, Metric.CONNECTIONS, Metric.THREADS);
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    StoreServer server = stage.server(subject);
    List<String> artifacts = subject.library().artifacts();
    List<Path> jars = stage.classPath().jarsOf(artifacts);
    List<String> command =
        new JavaCommand(FirstLockMain.class, stage.classPath().forChild(artifacts))
            .with(subject.library().name(), subject.kind().name(), stage.url(subject));
    int connectionsBefore = server.connections();
    long start = System.nanoTime();
    try (LineProcess process = LineProcess.start("first lock " + subject, command)) {
      String line = process.await(PATIENCE, FirstLockMain.LOCKED);
      double millis = (System.nanoTime() - start) / 1e6;
      int connections = server.connections();
      process.send("END");
      process.await(PATIENCE, "DONE");
      Sample sample =
          new Sample()
              .with(Metric.FIRST_LOCK, millis)
              .with(Metric.JARS, jars.size())
              .with(Metric.MEGABYTES, ClassPath.bytes(jars) / 1e6)
              .with(
                  Metric.THREADS, Integer.parseInt(line.substring(FirstLockMain.LOCKED.length())));
      if (connections >= 0) {
        sample.with(Metric.CONNECTIONS, connections - connectionsBefore);
      }
      return sample;
    }
  }
}
