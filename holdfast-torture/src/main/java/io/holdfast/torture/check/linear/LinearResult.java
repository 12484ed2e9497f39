package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.HistoryEvent;
import java.util.List;

/** What came of the search for an order. */
public sealed interface LinearResult {
  /** There is one. */
  record Found() implements LinearResult {}

  /**
   * There is none.
   *
   * @param why the operation that cannot have happened, and what it stands against
   * @param events what in the history says so
   */
  record Refused(String why, List<HistoryEvent> events) implements LinearResult {}

  /** It was not found out within the budget: neither right nor wrong. */
  record Undecided(String why) implements LinearResult {}
}
