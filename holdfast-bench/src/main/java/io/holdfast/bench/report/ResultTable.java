package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Metric.Better;
import io.holdfast.bench.measure.Ratio;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A result as a table, with what has to be said about it below: who is ahead of us, what failed.
 */
final class ResultTable {
  private final Result result;

  ResultTable(Result result) {
    this.result = result;
  }

  String markdown() {
    List<String> head = new ArrayList<>(List.of(""));
    result.metrics().forEach(metric -> head.add(metric.label()));
    head.add(2, "ratio to Holdfast");
    MarkdownTable table = new MarkdownTable(head);
    result.series().forEach((subject, series) -> table.row(row(subject, series)));
    StringBuilder text = new StringBuilder(table.toString());
    text.append('\n');
    remarks().forEach(remark -> text.append(Prose.item(remark)));
    return text.toString();
  }

  private List<String> row(Subject subject, Series series) {
    Metric headline = result.headline();
    List<String> cells = new ArrayList<>();
    cells.add(subject.ours() ? "**" + subject.label() + "**" : subject.label());
    for (Metric metric : result.metrics()) {
      String value = text(series.median(metric));
      OptionalDouble spread = series.spread(metric);
      if (metric == headline && spread.isPresent()) {
        value += " ±%.0f %%".formatted(100 * spread.getAsDouble());
      }
      cells.add(value);
    }
    cells.add(2, ratio(subject).stream().mapToObj(Metric::format).findFirst().orElse("-"));
    return cells;
  }

  private OptionalDouble ratio(Subject subject) {
    return ours(subject)
        .filter(ours -> !ours.equals(subject))
        .flatMap(ours -> result.ratio(subject, ours, result.headline()))
        .stream()
        .mapToDouble(Ratio::median)
        .findFirst();
  }

  /** Ours on the same store, or on Redis where there is none. */
  private Optional<Subject> ours(Subject subject) {
    return result.series().keySet().stream()
        .filter(other -> other.ours() && other.store() == subject.store())
        .findFirst()
        .or(() -> result.series().keySet().stream().filter(Subject::ours).findFirst());
  }

  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    for (Map.Entry<Subject, Series> entry : result.series().entrySet()) {
      Subject subject = entry.getKey();
      if (!subject.ours() && !subject.library().floor() && ahead(subject)) {
        remarks.add("%s is ahead of Holdfast.".formatted(subject.label()));
      }
      entry.getValue().failures().ifPresent(why -> remarks.add(subject.label() + ": " + line(why)));
    }
    return remarks;
  }

  private boolean ahead(Subject subject) {
    OptionalDouble ratio = ratio(subject);
    Better better = result.headline().better();
    return ratio.isPresent()
        && ours(subject).map(ours -> ours.store() == subject.store()).orElse(false)
        && (better == Better.HIGHER
            ? ratio.getAsDouble() > 1
            : better == Better.LOWER && ratio.getAsDouble() < 1);
  }

  private static String line(String text) {
    return text.lines().findFirst().orElse("").strip();
  }

  private static String text(OptionalDouble value) {
    return value.isPresent() ? Metric.format(value.getAsDouble()) : "-";
  }
}
