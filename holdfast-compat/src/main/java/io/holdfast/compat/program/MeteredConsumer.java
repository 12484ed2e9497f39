package io.holdfast.compat.program;

import io.holdfast.LockManager;
import io.holdfast.micrometer.MicrometerMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.StreamSupport;

/** Locks with meters, and finds them in the registry. */
public final class MeteredConsumer {
  private MeteredConsumer() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    RunningThreads before = RunningThreads.now();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MicrometerMetrics metrics =
        MicrometerMetrics.builder(registry).percentileHistogram(true).build();
    try (LockManager one = LockManager.builder(urls[0]).metrics(metrics).build();
        LockManager two = LockManager.builder(urls[0]).metrics(metrics).build()) {
      Consumer.lockWith(one, two);
      List<Meter> meters = registry.getMeters();
      Consumer.check(
          meters.stream()
              .filter(meter -> meter.getId().getName().startsWith("holdfast."))
              .flatMap(meter -> StreamSupport.stream(meter.measure().spliterator(), false))
              .anyMatch(measurement -> measurement.getValue() >= 3),
          "counted: " + meters.stream().map(meter -> meter.getId().getName()).toList());
    }
    before.awaitEndOfOthers();
  }
}
