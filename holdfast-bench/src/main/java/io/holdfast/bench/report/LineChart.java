package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** One line per subject over a number that doubles from step to step. */
final class LineChart {
  private static final double WIDTH = 820;
  private static final double HEIGHT = 340;
  private static final double LEFT = 60;
  private static final double RIGHT = 570;
  private static final double TOP = 50;
  private static final double BOTTOM = 300;
  private static final List<String> OURS = List.of(Svg.OURS, "#6cc39b");
  private static final List<String> PEERS = List.of("#7d8ca3", "#b0713b", "#8a63b3", "#b3637f");

  private LineChart() {}

  static String draw(
      String title, String across, Metric metric, Map<Subject, SortedMap<Integer, Double>> lines) {
    Svg svg = new Svg(WIDTH, HEIGHT);
    svg.text(10, 18, "start", 14, title);
    svg.text(10, 36, "start", 11, metric.label() + ", by " + across);
    double most =
        lines.values().stream()
            .flatMap(line -> line.values().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    double last = lines.values().stream().mapToInt(line -> line.lastKey()).max().orElse(1);
    for (int i = 0; i <= 4; i++) {
      double y = BOTTOM - (BOTTOM - TOP) * i / 4;
      svg.line(LEFT, y, RIGHT, y, Svg.GRID, 1);
      svg.text(LEFT - 8, y + 4, "end", 11, Metric.format(most * i / 4));
    }
    lines.values().stream()
        .flatMap(line -> line.keySet().stream())
        .distinct()
        .forEach(x -> svg.text(x(x, last), BOTTOM + 18, "middle", 11, String.valueOf(x)));
    int ours = 0;
    int peers = 0;
    double legend = TOP + 6;
    for (Map.Entry<Subject, SortedMap<Integer, Double>> line : lines.entrySet()) {
      String colour =
          line.getKey().ours() ? OURS.get(ours++ % OURS.size()) : PEERS.get(peers++ % PEERS.size());
      Map.Entry<Integer, Double> before = null;
      for (Map.Entry<Integer, Double> point : line.getValue().entrySet()) {
        double x = x(point.getKey(), last);
        double y = y(point.getValue(), most);
        if (before != null) {
          svg.line(x(before.getKey(), last), y(before.getValue(), most), x, y, colour, 2);
        }
        svg.dot(x, y, colour);
        before = point;
      }
      svg.dot(RIGHT + 16, legend - 4, colour);
      svg.text(RIGHT + 26, legend, "start", 11, line.getKey().label());
      legend += 18;
    }
    return svg.toString();
  }

  private static double x(double value, double last) {
    double share = last <= 1 ? 0 : Math.log(value) / Math.log(last);
    return LEFT + 10 + (RIGHT - LEFT - 20) * share;
  }

  private static double y(double value, double most) {
    return BOTTOM - (BOTTOM - TOP) * value / most;
  }
}
