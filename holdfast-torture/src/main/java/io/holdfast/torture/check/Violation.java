package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryEvent;
import java.util.List;
import java.util.Locale;

/**
 * A broken rule, for people.
 *
 * @param what what is wrong
 * @param events the few events that show it
 * @param base the beginning of the history, from which times are counted
 */
public record Violation(String what, List<HistoryEvent> events, long base) {
  /** Copies the events. */
  public Violation {
    events = List.copyOf(events);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(what);
    for (HistoryEvent event : events) {
      text.append(
          String.format(
              Locale.ROOT,
              "%n    %12.3f ms  %s/%s #%d  %s %s '%s' %s",
              (event.nanos() - base) / 1e6,
              event.client(),
              event.thread(),
              event.op(),
              event.action(),
              event.phase(),
              event.key(),
              event.details()));
    }
    return text.toString();
  }
}
