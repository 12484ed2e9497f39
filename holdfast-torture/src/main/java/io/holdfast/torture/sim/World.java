package io.holdfast.torture.sim;

import io.holdfast.torture.history.HistoryEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * Time and what is going to happen. The clock stands still while something happens and then jumps
 * to the next event; events of the same moment come in an order that is drawn by lot.
 */
final class World {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private record Event(long at, long lot, long number, Place place, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int order = Long.compare(at, other.at);
      order = order != 0 ? order : Long.compare(lot, other.lot);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /** Where something happens: a place may be paused, and then nothing happens there. */
  static final class Place {
    private final String name;
    private long pausedUntil;

    Place(String name) {
      this.name = name;
    }

    void pauseUntil(long time) {
      pausedUntil = Math.max(pausedUntil, time);
    }

    boolean isPausedAt(long time) {
      return time < pausedUntil;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final RandomGenerator random;
  private final List<String> story = new ArrayList<>();
  private final List<HistoryEvent> history = new ArrayList<>();
  private final boolean telling;
  private long now = 1_000_000_000;
  private long number;
  private long ops;

  World(long seed, boolean telling) {
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    this.telling = telling;
  }

  RandomGenerator random() {
    return random;
  }

  /** Nanoseconds of true time. */
  long now() {
    return now;
  }

  Instant instant() {
    return EPOCH.plusNanos(now);
  }

  /** True with this probability. */
  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** What will happen there, so much later; cancelled by the returned task. */
  Runnable later(long nanos, Place place, Runnable action) {
    Event event = new Event(now + Math.max(0, nanos), random.nextLong(), number++, place, action);
    events.add(event);
    return () -> events.remove(event);
  }

  /** Lets the next thing happen; false if there is none before the time. */
  boolean step(long until) {
    Event next = events.peek();
    if (next == null || next.at() > until) {
      now = Math.max(now, until);
      return false;
    }
    events.remove();
    now = Math.max(now, next.at());
    if (next.place().isPausedAt(now)) {
      events.add(
          new Event(
              next.place().pausedUntil, next.lot(), next.number(), next.place(), next.action()));
    } else {
      next.action().run();
    }
    return true;
  }

  /** Lets everything happen until then. */
  void runUntil(long time) {
    while (step(time)) {
      // until nothing is left
    }
  }

  /** A number for an operation. */
  long nextOp() {
    return ++ops;
  }

  /** Writes an event to the history, with true time. */
  void record(HistoryEvent event) {
    history.add(event);
  }

  /** What was written, in the order of time. */
  List<HistoryEvent> history() {
    return history.stream().sorted(Comparator.comparingLong(HistoryEvent::nanos)).toList();
  }

  /** Notes what happens, in words. */
  void tell(@Nullable Object... words) {
    if (telling) {
      StringBuilder line = new StringBuilder("%12.6f ".formatted(now / 1e9));
      for (Object word : words) {
        line.append(' ').append(word);
      }
      story.add(line.toString());
    }
  }

  List<String> story() {
    return story;
  }
}
