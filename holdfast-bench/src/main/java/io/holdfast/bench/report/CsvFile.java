package io.holdfast.bench.report;

import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Every value of every round, for whoever wants to look closer. */
final class CsvFile {
  private CsvFile() {}

  static String of(List<Result> results) {
    List<String> lines = new ArrayList<>(List.of("scenario,network,subject,round,metric,value"));
    for (Result result : results) {
      result
          .series()
          .forEach(
              (subject, series) -> {
                List<Sample> rounds = series.rounds();
                for (int round = 0; round < rounds.size(); round++) {
                  String start =
                      "%s,%s,\"%s\",%d,"
                          .formatted(
                              result.id(),
                              result.delayed() ? "delayed" : "direct",
                              subject.label(),
                              round + 1);
                  new TreeMap<>(rounds.get(round).values())
                      .forEach((metric, value) -> lines.add(start + metric + "," + value));
                }
              });
    }
    return String.join("\n", lines) + "\n";
  }
}
