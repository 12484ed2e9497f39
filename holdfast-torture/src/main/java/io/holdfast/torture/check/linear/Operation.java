package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.HistoryEvent;
import java.util.List;

/**
 * A step that takes effect at one moment of an interval.
 *
 * @param step what it does
 * @param from not before
 * @param to not after; {@link #NEVER} if it may take effect at any later time, or not at all
 * @param events what in the history says so, for reports
 */
public record Operation(Step step, long from, long to, List<HistoryEvent> events) {
  /** Need not take effect. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Checks the interval. */
  public Operation {
    if (from > to) {
      throw new IllegalArgumentException("ends before it begins: " + step);
    }
    events = List.copyOf(events);
  }
}
