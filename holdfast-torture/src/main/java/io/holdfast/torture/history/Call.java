package io.holdfast.torture.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation from its beginning to its end, if it has one.
 *
 * @param invoke its beginning
 * @param end its end, null if the history has none
 */
public record Call(HistoryEvent invoke, @Nullable HistoryEvent end) {
  /** When it began. */
  public long from() {
    return invoke.nanos();
  }

  /** When it had ended; {@link Long#MAX_VALUE} if it has not. */
  public long to() {
    return end == null ? Long.MAX_VALUE : end.nanos();
  }

  /** True if it ended so. */
  public boolean ended(Phase phase) {
    return end != null && end.phase() == phase;
  }

  /** A detail of its end or else of its beginning, or null. */
  public @Nullable String detail(String name) {
    String late = end == null ? null : end.detail(name);
    return late != null ? late : invoke.detail(name);
  }

  /** The same as a number, or what it is when it is missing. */
  public long number(String name, long otherwise) {
    String text = detail(name);
    return text == null ? otherwise : Long.parseLong(text);
  }

  /** Its events. */
  public List<HistoryEvent> events() {
    return end == null ? List.of(invoke) : List.of(invoke, end);
  }

  /** Which client. */
  public String client() {
    return invoke.client();
  }

  /** What for. */
  public Subject subject() {
    return Subject.of(invoke);
  }
}
