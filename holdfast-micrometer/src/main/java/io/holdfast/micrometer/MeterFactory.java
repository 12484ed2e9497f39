package io.holdfast.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates counters and timers with common tags at their first use and keeps them, because a lookup
 * in the registry takes much longer.
 */
final class MeterFactory {
  private static final Duration SHORTEST = Duration.ofNanos(100_000);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private record Id(String name, String value) {}

  private final MeterRegistry registry;
  private final boolean percentileHistogram;
  private final Tags tags;
  private final Map<Id, Timer> timers = new ConcurrentHashMap<>();
  private final Map<Id, Counter> counters = new ConcurrentHashMap<>();

  MeterFactory(MeterRegistry registry, boolean percentileHistogram, Tags tags) {
    this.registry = registry;
    this.percentileHistogram = percentileHistogram;
    this.tags = tags;
  }

  /** A factory with more common tags. */
  MeterFactory with(Tags more) {
    return new MeterFactory(registry, percentileHistogram, tags.and(more));
  }

  Timer timer(String name, String description, String tag, String value) {
    Id id = new Id(name, value);
    Timer known = timers.get(id);
    return known != null
        ? known
        : timers.computeIfAbsent(id, made -> make(name, description, tags.and(tag, value)));
  }

  Timer timer(String name, String description) {
    return make(name, description, tags);
  }

  private Timer make(String name, String description, Tags all) {
    return Timer.builder(name)
        .description(description)
        .tags(all)
        .publishPercentileHistogram(percentileHistogram)
        .minimumExpectedValue(SHORTEST)
        .maximumExpectedValue(LONGEST)
        .register(registry);
  }

  Counter counter(String name, String description, String tag, String value) {
    return counter(name, description, Tags.of(tag, value), value);
  }

  /**
   * @param id distinguishes counters with the same name
   */
  Counter counter(String name, String description, Tags more, String id) {
    return counters.computeIfAbsent(
        new Id(name, id),
        made ->
            Counter.builder(name).description(description).tags(tags.and(more)).register(registry));
  }

  /** The value of a tag for a constant. */
  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
