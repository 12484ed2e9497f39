package io.holdfast.micrometer;

import io.holdfast.MetricsCollector;
import io.holdfast.metrics.LockFamilies;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Records metrics with Micrometer. The meters are named {@code holdfast.*} and listed in {@code
 * docs/metrics.md}.
 *
 * <pre>{@code
 * MicrometerMetrics metrics = MicrometerMetrics.builder(registry)
 *     .family(key -> key.substring(0, key.indexOf('/')))
 *     .percentileHistogram(true)
 *     .build();
 * LockManager manager = LockManager.builder(url).metrics(metrics).build();
 * }</pre>
 *
 * <p>Tags are bounded: {@code family} is a {@linkplain LockFamilies group of keys}, never a key. By
 * default there are at most a hundred families and {@code other}. Create one object for each
 * registry: it serves any number of managers. Managers with the same kind of store share their
 * meters, and their gauges are sums. Gauges are removed when the last of these managers is closed;
 * counters and timers stay.
 */
public final class MicrometerMetrics implements MetricsCollector {
  /** The default limit of the number of families. */
  public static final int MOST_FAMILIES = 100;

  private final Settings settings;
  private final Map<String, EngineMeters> engines = new ConcurrentHashMap<>();

  /** Metrics with families {@linkplain LockFamilies#BY_PREFIX by prefix} and no histograms. */
  public MicrometerMetrics(MeterRegistry registry) {
    this(builder(registry));
  }

  private MicrometerMetrics(Builder builder) {
    this.settings =
        new Settings(
            builder.registry, builder.family, builder.mostFamilies, builder.percentileHistogram);
  }

  /** A builder for metrics with other settings. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Returns the meters for the kind of store of this manager. */
  @Override
  public MetricsCollector started(MetricsCollector.Source manager) {
    EngineMeters meters =
        engines.computeIfAbsent(manager.engine(), engine -> new EngineMeters(engine, settings));
    return meters.started(manager);
  }

  /** The settings of all meters. */
  record Settings(
      MeterRegistry registry,
      Function<? super String, String> family,
      int mostFamilies,
      boolean percentileHistogram) {}

  /** Settings of a {@link MicrometerMetrics}. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Function<? super String, String> family = LockFamilies.BY_PREFIX;
    private int mostFamilies = MOST_FAMILIES;
    private boolean percentileHistogram;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** The family of a key; default the key {@linkplain LockFamilies#BY_PREFIX up to a colon}. */
    public Builder family(Function<? super String, String> ofKey) {
      this.family = ofKey;
      return this;
    }

    /** The limit of the number of families for each kind of store; others are {@code other}. */
    public Builder mostFamilies(int number) {
      if (number < 0) {
        throw new IllegalArgumentException("the number of families cannot be negative: " + number);
      }
      this.mostFamilies = number;
      return this;
    }

    /**
     * True for histograms of waits, holds and pings, from which a monitoring system can compute
     * percentiles, also across processes. Each has about seventy buckets per family. Default false.
     */
    public Builder percentileHistogram(boolean on) {
      this.percentileHistogram = on;
      return this;
    }

    /** Builds metrics for {@code LockManager.builder(url).metrics(...)}. */
    public MicrometerMetrics build() {
      return new MicrometerMetrics(this);
    }
  }
}
