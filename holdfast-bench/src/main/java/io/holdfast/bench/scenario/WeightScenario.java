package io.holdfast.bench.scenario;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.bench.worker.FirstLockMain;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What comes along with a library, and how long a process takes from its start to its first lock.
 *
 * @param subjects who takes part
 */
record WeightScenario(List<Subject> subjects) implements Scenario {
  private static final String QUICK_COMPILER = "-XX:TieredStopAtLevel=1";
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
        Metric.FIRST_LOCK,
        Metric.FIRST_LOCK_ARCHIVED,
        Metric.JARS,
        Metric.MEGABYTES,
        Metric.CONNECTIONS,
        Metric.THREADS);
  }

  @Override
  public Sample run(Subject subject, Stage stage) throws InterruptedException {
    StoreServer server = stage.server(subject);
    List<String> artifacts = subject.library().artifacts();
    List<Path> jars = stage.classPath().jarsOf(artifacts);
    Sample sample =
        new Sample()
            .with(Metric.JARS, jars.size())
            .with(Metric.MEGABYTES, ClassPath.bytes(jars) / 1e6);
    int connectionsBefore = server.connections();
    long start = System.nanoTime();
    try (LineProcess process = start(subject, stage)) {
      String line = process.await(PATIENCE, FirstLockMain.LOCKED);
      sample
          .with(Metric.FIRST_LOCK, millisSince(start))
          .with(Metric.THREADS, Integer.parseInt(line.substring(FirstLockMain.LOCKED.length())));
      int connections = server.connections();
      if (connections >= 0) {
        sample.with(Metric.CONNECTIONS, connections - connectionsBefore);
      }
      end(process);
    }
    return sample.with(Metric.FIRST_LOCK_ARCHIVED, withArchive(subject, stage));
  }

  /**
   * From the start to the first lock of a JVM that is started as our own command is: with an
   * archive of the classes that another run has loaded, and only the quick compiler.
   */
  private static double withArchive(Subject subject, Stage stage) throws InterruptedException {
    Path archive = stage.file(subject.library().name() + ".jsa");
    if (!Files.exists(archive)) {
      try (LineProcess process = start(subject, stage, "-XX:ArchiveClassesAtExit=" + archive)) {
        process.await(PATIENCE, FirstLockMain.LOCKED);
        end(process);
        process.awaitEnd(PATIENCE);
      }
    }
    long start = System.nanoTime();
    try (LineProcess process =
        start(subject, stage, QUICK_COMPILER, "-XX:SharedArchiveFile=" + archive)) {
      process.await(PATIENCE, FirstLockMain.LOCKED);
      double millis = millisSince(start);
      end(process);
      return millis;
    }
  }

  private static LineProcess start(Subject subject, Stage stage, String... options) {
    String classPath = stage.classPath().forChild(subject.library().artifacts());
    List<String> command =
        new JavaCommand(FirstLockMain.class, classPath)
            .options(options)
            .with(subject.library().name(), subject.kind().name(), stage.url(subject));
    return LineProcess.start("first lock " + subject, command);
  }

  private static void end(LineProcess process) throws InterruptedException {
    process.send("END");
    process.await(PATIENCE, "DONE");
  }

  private static double millisSince(long start) {
    return (System.nanoTime() - start) / 1e6;
  }
}
