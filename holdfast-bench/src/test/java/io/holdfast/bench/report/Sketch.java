package io.holdfast.bench.report;

import io.holdfast.bench.lock.Subject;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import io.holdfast.bench.measure.Sample;
import io.holdfast.bench.measure.Series;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Results as tests want them. */
final class Sketch {
  private final Map<Subject, Series> series = new LinkedHashMap<>();
  private final String id;
  private final Metric metric;

  private Sketch(String id, Metric metric) {
    this.id = id;
    this.metric = metric;
  }

  static Sketch of(String id, Metric metric) {
    return new Sketch(id, metric);
  }

  Sketch with(Subject subject, double... rounds) {
    for (double value : rounds) {
      series.computeIfAbsent(subject, key -> new Series()).add(new Sample().with(metric, value));
    }
    return this;
  }

  Sketch failed(Subject subject, String why) {
    series.computeIfAbsent(subject, key -> new Series()).add(Sample.failed(why));
    return this;
  }

  Result result() {
    return result(false);
  }

  Result result(boolean delayed) {
    return new Result(id, "a <scenario>", delayed, List.of(metric), series);
  }
}
