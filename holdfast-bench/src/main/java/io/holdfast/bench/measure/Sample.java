package io.holdfast.bench.measure;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What one round of one scenario gave for one subject: values, or why there are none. */
public final class Sample {
  private final Map<Metric, Double> values = new EnumMap<>(Metric.class);
  private @Nullable String failure;

  /** A round that did not work out. */
  public static Sample failed(String why) {
    Sample sample = new Sample();
    sample.failure = why;
    return sample;
  }

  /** Adds a value; one that could not be measured is left out. */
  public Sample with(Metric metric, double value) {
    if (Double.isFinite(value)) {
      values.put(metric, value);
    }
    return this;
  }

  /** The value, if it was measured. */
  public OptionalDouble get(Metric metric) {
    Double value = values.get(metric);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /** Everything that was measured. */
  public Map<Metric, Double> values() {
    return Map.copyOf(values);
  }

  /** Why there are no values, or null. */
  public @Nullable String failure() {
    return failure;
  }
}
