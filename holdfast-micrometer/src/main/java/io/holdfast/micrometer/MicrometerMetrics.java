package io.holdfast.micrometer;

import io.holdfast.MetricsCollector;
import io.holdfast.metrics.LockFamilies;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Counts with Micrometer. The meters are named {@code holdfast.*} and listed in {@code
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
 * <p>Tags are bounded: {@code family} is a {@linkplain LockFamilies group of keys}, at most a
 * hundred of them and {@code other}, never a key. Make one object per registry: it serves any
 * number of managers; those with the same kind of store are counted together, and their gauges are
 * sums. Gauges go when the last of these managers is closed; what was counted stays.
 */
public final class MicrometerMetrics implements MetricsCollector {
  /** How many families there may be unless another number is given. */
  public static final int MOST_FAMILIES = 100;

  private final Settings settings;
  private final Map<String, EngineMeters> engines = new ConcurrentHashMap<>();

  /** With families {@linkplain LockFamilies#BY_PREFIX by prefix} and no histograms. */
  public MicrometerMetrics(MeterRegistry registry) {
    this(builder(registry));
  }

  private MicrometerMetrics(Builder builder) {
    this.settings =
        new Settings(
            builder.registry, builder.family, builder.mostFamilies, builder.percentileHistogram);
  }

  /** Settings for one. */
  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Hands over to the meters for the kind of store that this manager has. */
  @Override
  public MetricsCollector started(MetricsCollector.Source manager) {
    EngineMeters meters =
        engines.computeIfAbsent(manager.engine(), engine -> new EngineMeters(engine, settings));
    return meters.started(manager);
  }

  /** What all meters need to know. */
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

    /** How many families there may be per kind of store; the rest is {@code other}. */
    public Builder mostFamilies(int number) {
      if (number < 0) {
        throw new IllegalArgumentException("the number of families cannot be negative: " + number);
      }
      this.mostFamilies = number;
      return this;
    }

    /**
     * True for histograms of waits, holds and pings from which the monitoring system can compute
     * percentiles, also across processes; each has some seventy buckets per family. Default false.
     */
    public Builder percentileHistogram(boolean on) {
      this.percentileHistogram = on;
      return this;
    }

    /** Ready for {@code LockManager.builder(url).metrics(...)}. */
    public MicrometerMetrics build() {
      return new MicrometerMetrics(this);
    }
  }
}
