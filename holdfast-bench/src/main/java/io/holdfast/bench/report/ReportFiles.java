package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes everything into a folder. */
public final class ReportFiles {
  /** The chart of commands by number of managers. */
  static final String GROWTH = "growth.svg";

  private ReportFiles() {}

  /** Writes report, charts and raw values. */
  public static void write(Path folder, RunFacts facts) throws IOException {
    Files.createDirectories(folder);
    String method = Files.exists(folder.resolve("README.md")) ? "README.md" : "../README.md";
    Files.writeString(folder.resolve("report.md"), new MarkdownReport(facts, method).text());
    Files.writeString(folder.resolve("results.csv"), CsvFile.of(facts.results()));
    for (Result result : facts.results()) {
      Files.writeString(
          folder.resolve(MarkdownReport.chartName(result)),
          BarChart.draw(result, result.headline()));
    }
    Map<Subject, SortedMap<Integer, Double>> growth = growth(facts.results());
    if (!growth.isEmpty()) {
      Files.writeString(
          folder.resolve(GROWTH),
          LineChart.draw(
              "I: commands per acquisition as more wait",
              "number of managers",
              Metric.COMMANDS,
              growth));
    }
  }

  private static Map<Subject, SortedMap<Integer, Double>> growth(List<Result> results) {
    Map<Subject, SortedMap<Integer, Double>> lines = new LinkedHashMap<>();
    for (Result result : results) {
      if (result.id().matches("I\\d+")) {
        int managers = Integer.parseInt(result.id().substring(1));
        result
            .series()
            .forEach(
                (subject, series) ->
                    series
                        .median(Metric.COMMANDS)
                        .ifPresent(
                            value ->
                                lines
                                    .computeIfAbsent(subject, key -> new TreeMap<>())
                                    .put(managers, value)));
      }
    }
    return lines;
  }
}
