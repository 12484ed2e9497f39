package io.holdfast.bench;

import io.holdfast.bench.fault.FaultEngine;
import io.holdfast.bench.fault.FaultStage;
import io.holdfast.bench.jmh.Micro;
import io.holdfast.bench.lock.Library;
import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.CpuLatency;
import io.holdfast.bench.measure.Progress;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Timing;
import io.holdfast.bench.scenario.Network;
import io.holdfast.bench.scenario.Rounds;
import io.holdfast.bench.scenario.Scenario;
import io.holdfast.bench.scenario.Scenarios;
import io.holdfast.bench.scenario.Stage;
import io.holdfast.bench.scenario.WorkerPool;
import io.holdfast.bench.store.StoreEnvironment;
import io.holdfast.bench.store.Stores;
import io.holdfast.bench.weight.ClassPath;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** One run from the first server to the last file. */
final class BenchRun {
  private final BenchSettings settings;
  private final PrintWriter out;
  private final boolean terminal;
  private final ClassPath classPath = ClassPath.ofThisJvm();

  BenchRun(BenchSettings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.out = out;
    this.terminal = terminal;
  }

  void run() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("holdfast-bench-");
    try (CpuLatency awake = CpuLatency.hold();
        Stores stores = new Stores(new StoreEnvironment(classPath, directory));
        WorkerPool workers = new WorkerPool(classPath);
        Stage direct = stage(stores, workers, Duration.ZERO, directory);
        Stage delayed = stage(stores, workers, settings.delay(), directory)) {
      Progress progress = new Progress(out, terminal, steps(direct, delayed));
      Rounds rounds = new Rounds(progress);
      ReportWriter writer = new ReportWriter(settings, stores, awake, rounds, versions());
      for (Scenario scenario : Scenarios.all()) {
        run(scenario, rounds, direct, writer, false);
        if (isDelayedToo(scenario)) {
          run(scenario, rounds, delayed, writer, true); // with the same processes, which are warm
        }
        workers.endScenario();
      }
      faults(progress, writer, directory);
      if (settings.micro()) {
        progress.step("microbenchmarks");
        writer.micro(Micro.run(settings.timing()));
      }
      progress.say("Written to " + writer.write());
    } finally {
      delete(directory);
    }
  }

  /** With scenario L: the same engines, in the same run. */
  private void faults(Progress progress, ReportWriter writer, Path directory)
      throws IOException, InterruptedException {
    List<FaultEngine> engines = faultEngines();
    if (!engines.isEmpty()) {
      Duration lease = Duration.ofSeconds(settings.timing().equals(Timing.SMOKE) ? 1 : 3);
      writer.faults(new FaultStage(classPath, directory, lease, progress).run(engines));
      writer.write();
    }
  }

  private List<FaultEngine> faultEngines() {
    return Scenarios.all().stream().filter(settings::wants).noneMatch(s -> s.id().equals("L"))
        ? List.of()
        : Stream.of(FaultEngine.values()).filter(e -> settings.wantsName(e.label())).toList();
  }

  private Stage stage(Stores stores, WorkerPool workers, Duration delay, Path directory) {
    Network network = new Network(delay);
    return new Stage(
        stores, network, settings.timing(), classPath, directory, settings.newerJdk(), workers);
  }

  private boolean isDelayedToo(Scenario scenario) {
    return !settings.delay().isZero() && Scenarios.isMeasuredOverNetwork(scenario);
  }

  /** The report is written after each scenario, so that a run that is cut short leaves one too. */
  private void run(
      Scenario scenario, Rounds rounds, Stage stage, ReportWriter writer, boolean delayed)
      throws IOException, InterruptedException {
    List<Subject> subjects = subjects(scenario);
    if (!subjects.isEmpty()) {
      writer.add(
          new Result(
              scenario.id(),
              scenario.title(),
              delayed,
              scenario.metrics(),
              rounds.run(scenario, stage, subjects)));
      writer.write();
    }
  }

  private int steps(Stage direct, Stage delayed) {
    int steps = FaultStage.steps(faultEngines()) + (settings.micro() ? 1 : 0);
    for (Scenario scenario : Scenarios.all()) {
      List<Subject> subjects = subjects(scenario);
      steps += Rounds.steps(scenario, direct, subjects);
      if (isDelayedToo(scenario)) {
        steps += Rounds.steps(scenario, delayed, subjects);
      }
    }
    return steps;
  }

  /** Those that are wanted and whose library is part of this build. */
  private List<Subject> subjects(Scenario scenario) {
    Predicate<Subject> built = subject -> classPath.has(subject.library().artifacts());
    return settings.wants(scenario)
        ? scenario.subjects().stream().filter(built.and(settings::wants)).toList()
        : List.of();
  }

  private List<String> versions() {
    return Stream.of(Library.values())
        .filter(library -> classPath.has(library.artifacts()))
        .flatMap(library -> library.artifacts().stream())
        .distinct()
        .map(name -> name.substring(name.indexOf(':') + 1) + " " + classPath.version(name))
        .toList();
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
