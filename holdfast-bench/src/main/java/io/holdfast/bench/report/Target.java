package io.holdfast.bench.report;

import io.holdfast.bench.measure.Metric;
import java.util.OptionalDouble;

/**
 * Something we want to reach, and how far we are.
 *
 * @param scenario where it is measured
 * @param text what is compared
 * @param atLeast true if the value must not be below the limit, false if not above it
 * @param limit the limit
 * @param value what was measured; empty if it was not
 */
record Target(String scenario, String text, boolean atLeast, double limit, OptionalDouble value) {
  boolean met() {
    return value.isPresent()
        && (atLeast ? value.getAsDouble() >= limit : value.getAsDouble() <= limit);
  }

  String wanted() {
    return (atLeast ? "at least " : "at most ") + Metric.format(limit);
  }

  String measured() {
    return value.isPresent() ? Metric.format(value.getAsDouble()) : "not measured";
  }

  String verdict() {
    return value.isEmpty() ? "-" : met() ? "met" : "**missed**";
  }
}
