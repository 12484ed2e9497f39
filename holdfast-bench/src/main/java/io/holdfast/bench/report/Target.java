package io.holdfast.bench.report;

import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Ratio;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Something we want to reach, and how far we are.
 *
 * @param scenario where it is measured
 * @param text what is compared
 * @param atLeast true if the value must not be below the limit, false if not above it
 * @param limit the limit
 * @param value what was measured; empty if it was not
 * @param range where the rounds of a ratio lay; empty if it is not taken round by round
 */
record Target(
    String scenario,
    String text,
    boolean atLeast,
    double limit,
    OptionalDouble value,
    Optional<Ratio> range) {
  boolean met() {
    return value.isPresent()
        && (atLeast ? value.getAsDouble() >= limit : value.getAsDouble() <= limit);
  }

  String wanted() {
    return (atLeast ? "at least " : "at most ") + Metric.format(limit);
  }

  String measured() {
    return value.isPresent()
        ? Metric.format(value.getAsDouble()) + range.map(Target::text).orElse("")
        : "not measured";
  }

  private static String text(Ratio ratio) {
    return ratio.least() == ratio.most()
        ? ""
        : " (%s to %s)".formatted(Metric.format(ratio.least()), Metric.format(ratio.most()));
  }

  String verdict() {
    return value.isEmpty() ? "-" : met() ? "met" : "**missed**";
  }
}
