package io.holdfast.bench.fault;

import io.holdfast.bench.measure.Progress;
import io.holdfast.bench.process.WorkerFailedException;
import io.holdfast.bench.weight.ClassPath;
import io.holdfast.testservers.FaultyProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All faults on all engines, one after the other. Every trial has processes and a key of its own;
 * the store is shared by the trials of an engine, apart from those that move its clock.
 */
public final class FaultStage {
  /**
   * The executable of Redis that our build brings is linked statically, so that libfaketime does
   * not reach its clock, and that of Debian (with jemalloc) does not start with it. Another may.
   */
  private static final String OTHER_REDIS = "HOLDFAST_TEST_REDIS_SERVER";

  private final ClassPath classPath;
  private final Path directory;
  private final Duration lease;
  private final Progress progress;
  private int number;

  /** With the lease that all locks have. */
  public FaultStage(ClassPath classPath, Path directory, Duration lease, Progress progress) {
    this.classPath = classPath;
    this.directory = directory;
    this.lease = lease;
    this.progress = progress;
  }

  /** How many steps it will tell of. */
  public static int steps(List<FaultEngine> engines) {
    return engines.size() * Fault.values().length;
  }

  /** The cells of the table, by engine and fault. */
  public Map<FaultEngine, Map<Fault, String>> run(List<FaultEngine> engines)
      throws IOException, InterruptedException {
    Map<FaultEngine, Map<Fault, String>> all = new EnumMap<>(FaultEngine.class);
    for (FaultEngine engine : engines) {
      Map<Fault, String> cells = new EnumMap<>(Fault.class);
      run(engine, Stream.of(Fault.values()).filter(f -> !f.movesTheClock()).toList(), cells, null);
      withItsClock(engine, cells);
      all.put(engine, cells);
    }
    return all;
  }

  private void withItsClock(FaultEngine engine, Map<Fault, String> cells)
      throws IOException, InterruptedException {
    List<Fault> jumps = Stream.of(Fault.values()).filter(Fault::movesTheClock).toList();
    Optional<ShiftedClock> clock = ShiftedClock.in(newFolder(engine));
    if (clock.isEmpty()) {
      jumps.forEach(fault -> cells.put(fault, "not run: no libfaketime"));
    } else if (engine == FaultEngine.REDIS && redisWithAClock().isEmpty()) {
      jumps.forEach(fault -> cells.put(fault, "not run: libfaketime does not reach it"));
    } else {
      run(engine, jumps, cells, clock.get());
    }
  }

  private static Optional<String> redisWithAClock() {
    return Optional.ofNullable(System.getenv(OTHER_REDIS)).filter(given -> !given.isBlank());
  }

  private void run(
      FaultEngine engine,
      List<Fault> faults,
      Map<Fault, String> cells,
      @Nullable ShiftedClock clock)
      throws IOException, InterruptedException {
    Path folder = newFolder(engine);
    Path place = engine == FaultEngine.SQLITE ? folder.resolve("locks.db") : folder;
    Map<String, String> environment = clock == null ? Map.of() : clock.environment();
    try (StoreHost store = StoreHost.start(engine, place, environment)) {
      for (Fault fault : faults) {
        progress.step("L %s: %s".formatted(engine.label(), fault.label()));
        cells.put(fault, engine.knows(fault) ? cell(engine, fault, store, place, clock) : "-");
      }
    } catch (WorkerFailedException e) {
      progress.say("%s: %s".formatted(engine.label(), e.getMessage()));
      faults.forEach(
          fault ->
              cells.putIfAbsent(
                  fault,
                  "not run: the store does not start"
                      + (clock == null ? "" : " with libfaketime")));
    }
  }

  private String cell(
      FaultEngine engine, Fault fault, StoreHost store, Path place, @Nullable ShiftedClock clock)
      throws InterruptedException {
    List<FaultyProxy> way = new ArrayList<>();
    store.ports().forEach(port -> way.add(FaultyProxy.to("127.0.0.1", port)));
    String throughProxies =
        engine.url(way.stream().map(FaultyProxy::port).toList(), place.toString());
    String direct = engine.url(store.ports(), place.toString());
    // the clock that counts for a file is that of the processes that use it
    Map<String, String> environment =
        clock != null && engine == FaultEngine.SQLITE ? clock.environment() : Map.of();
    String jars = classPath.forChild(engine.library().artifacts());
    List<Contender> contenders = new ArrayList<>();
    try {
      for (String url : List.of(throughProxies, direct)) {
        contenders.add(Contender.start(url, lease, jars, environment));
      }
      if (fault == Fault.WAITER_KILLED) {
        contenders.add(Contender.start(direct, lease, jars, environment));
      }
      for (Contender contender : contenders) {
        contender.awaitReady();
      }
      String key = "fault:" + ++number;
      return new FaultTrial(store, way, contenders, clock, lease).run(fault, key).text();
    } catch (WorkerFailedException e) {
      progress.say("%s, %s: %s".formatted(engine.label(), fault.label(), e.getMessage()));
      if (fault.movesTheClock()) {
        return "not run: fails with libfaketime"; // of the trial, not of the engine
      }
      return "**failed**: " + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    } finally {
      contenders.forEach(Contender::close);
      if (fault == Fault.LEADER_LOST && engine.knows(fault)) {
        store.startFormerLeader();
      }
      way.forEach(FaultyProxy::close);
    }
  }

  private Path newFolder(FaultEngine engine) throws IOException {
    return Files.createTempDirectory(directory, engine.name() + "-");
  }
}
