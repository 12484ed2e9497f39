package io.holdfast.bench;

import io.holdfast.bench.fault.Fault;
import io.holdfast.bench.fault.FaultEngine;
import io.holdfast.bench.jmh.MicroResult;
import io.holdfast.bench.measure.CpuLatency;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.report.EnginePage;
import io.holdfast.bench.report.ReportFiles;
import io.holdfast.bench.report.RunFacts;
import io.holdfast.bench.scenario.Rounds;
import io.holdfast.bench.store.StoreServer;
import io.holdfast.bench.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Gathers what a run gives, and writes as much of it as there is. */
final class ReportWriter {
  private final BenchSettings settings;
  private final Stores stores;
  private final CpuLatency awake;
  private final Rounds rounds;
  private final List<String> versions;
  private final List<Double> pings;
  private final List<Result> results = new ArrayList<>();
  private List<MicroResult> micro = List.of();
  private Map<FaultEngine, Map<Fault, String>> faults = Map.of();

  ReportWriter(
      BenchSettings settings,
      Stores stores,
      CpuLatency awake,
      Rounds rounds,
      List<String> versions) {
    this.settings = settings;
    this.stores = stores;
    this.awake = awake;
    this.rounds = rounds;
    this.versions = versions;
    this.pings = Pings.of(stores, List.of(Duration.ZERO, settings.delay()));
  }

  void add(Result result) {
    results.add(result);
  }

  void micro(List<MicroResult> given) {
    micro = given;
  }

  void faults(Map<FaultEngine, Map<Fault, String>> given) {
    faults = given;
  }

  Path write() throws IOException {
    List<String> servers =
        stores.running().values().stream().map(StoreServer::description).sorted().toList();
    ReportFiles.write(
        settings.folder(),
        new RunFacts(
            settings.timing(),
            results,
            micro,
            versions,
            servers,
            awake.held(),
            rounds.dropped(),
            rounds.kept(),
            pings,
            settings.delay().toNanos() / 1000));
    EnginePage engines = new EnginePage(results, faults, servers);
    engines.writeFiles(settings.folder());
    if (settings.page() != null) {
      engines.replaceTables(settings.page());
    }
    return settings.folder().resolve("report.md");
  }
}
