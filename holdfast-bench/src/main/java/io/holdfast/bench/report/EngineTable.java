package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The figures of our engines in one small table, for the guide that says which to choose. */
final class EngineTable {
  private static final List<String> HEAD =
      List.of(
          "engine",
          "locks/s, alone",
          "locks/s, two processes on one key",
          "handoff p50, ms",
          "handoff p99, ms",
          "commands or statements per lock");

  private static final List<Metric> COLUMNS =
      List.of(
          Metric.OPERATIONS,
          Metric.CONTENDED,
          Metric.HANDOVER_P50,
          Metric.HANDOVER_P99,
          Metric.COMMANDS);

  private EngineTable() {}

  static String of(Result engines) {
    MarkdownTable table = new MarkdownTable(HEAD);
    for (Map.Entry<Subject, Series> engine : engines.series().entrySet()) {
      List<String> cells = new ArrayList<>(List.of(engine.getKey().label()));
      for (Metric metric : COLUMNS) {
        OptionalDouble value = engine.getValue().median(metric);
        cells.add(value.isPresent() ? Metric.format(value.getAsDouble()) : "-");
      }
      table.row(cells);
    }
    return table.toString();
  }
}
