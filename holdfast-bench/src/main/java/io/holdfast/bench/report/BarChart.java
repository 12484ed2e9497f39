package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One bar per subject, with a whisker for the spread. When the largest is more than fifty times the
 * smallest, bars are drawn on a logarithmic scale, and the chart says so.
 */
final class BarChart {
  private static final double WIDTH = 760;
  private static final double LABELS = 230;
  private static final double VALUES = 90;
  private static final double ROW = 24;
  private static final double TOP = 44;
  private static final double LOGARITHMIC_FROM = 50;

  private record Bar(String label, String colour, double value, double spread) {}

  private BarChart() {}

  static String draw(Result result, Metric metric) {
    List<Bar> bars = new ArrayList<>();
    for (Map.Entry<Subject, Series> entry : result.series().entrySet()) {
      entry
          .getValue()
          .median(metric)
          .ifPresent(
              median ->
                  bars.add(
                      new Bar(
                          entry.getKey().label(),
                          colour(entry.getKey()),
                          median,
                          entry.getValue().spread(metric).orElse(0))));
    }
    double largest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
    double smallest = bars.stream().mapToDouble(Bar::value).filter(v -> v > 0).min().orElse(1);
    boolean logarithmic = largest / smallest > LOGARITHMIC_FROM;
    Svg svg = new Svg(WIDTH, TOP + ROW * bars.size() + 10);
    svg.text(10, 18, "start", 14, result.id() + ": " + result.title());
    svg.text(10, 35, "start", 11, metric.label() + (logarithmic ? " (logarithmic scale)" : ""));
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double y = TOP + ROW * i;
      double length = length(bar.value, smallest, largest, logarithmic);
      svg.text(LABELS - 8, y + 14, "end", 12, bar.label);
      svg.bar(LABELS, y + 3, length, ROW - 8, bar.colour);
      double to = length;
      if (bar.spread > 0) {
        double from = length(bar.value * (1 - bar.spread), smallest, largest, logarithmic);
        to = length(bar.value * (1 + bar.spread), smallest, largest, logarithmic);
        svg.line(LABELS + from, y + ROW / 2 - 1, LABELS + to, y + ROW / 2 - 1, Svg.TEXT, 1.5);
      }
      svg.text(LABELS + to + 8, y + 14, "start", 12, Metric.format(bar.value));
    }
    return svg.toString();
  }

  /** On a logarithmic scale the smallest still gets a tenth of the room. */
  private static double length(double value, double smallest, double largest, boolean log) {
    double room = WIDTH - LABELS - VALUES;
    if (value <= 0) {
      return 0;
    }
    double share =
        log
            ? 0.1 + 0.9 * Math.log(value / smallest) / Math.log(largest / smallest)
            : value / largest;
    return room * Math.min(Math.max(share, 0), 1.05);
  }

  private static String colour(Subject subject) {
    if (subject.ours()) {
      return Svg.OURS;
    }
    return subject.library().floor() ? Svg.FLOOR : Svg.PEER;
  }
}
