package io.holdfast.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** A count for each value of an enum, for any number of threads: the map itself never changes. */
final class EnumCounts<E extends Enum<E>> {
  private final Class<E> type;
  private final Map<E, LongAdder> counts;

  EnumCounts(Class<E> type) {
    this.type = type;
    this.counts = new EnumMap<>(type);
    for (E value : type.getEnumConstants()) {
      counts.put(value, new LongAdder());
    }
  }

  void add(E value) {
    counter(value).increment();
  }

  long of(E value) {
    return counter(value).sum();
  }

  private LongAdder counter(E value) {
    return Objects.requireNonNull(counts.get(value));
  }

  /** The counts of what was counted at all. */
  Map<E, Long> positive() {
    Map<E, Long> all = new EnumMap<>(type);
    counts.forEach(
        (value, count) -> {
          if (count.sum() > 0) {
            all.put(value, count.sum());
          }
        });
    return all;
  }
}
