package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what a checker finds. Many violations of one kind are counted, the first are told. */
final class Findings {
  private static final int MOST_TOLD = 10;

  private final String check;
  private final long base;
  private final List<Violation> violations = new ArrayList<>();
  private long count;
  private long looked;
  private @Nullable String undecided;
  private String note = "";

  Findings(Check check, HistoryIndex history) {
    this.check = check.name();
    this.base = history.begin();
  }

  void looked() {
    looked++;
  }

  void looked(long more) {
    looked += more;
  }

  void violated(String what, List<HistoryEvent> events) {
    if (count++ < MOST_TOLD) {
      violations.add(new Violation(what, events, base));
    }
  }

  void violated(String what, Hold... holds) {
    List<HistoryEvent> events = new ArrayList<>();
    for (Hold hold : holds) {
      events.addAll(hold.acquire().events());
      if (hold.release() != null) {
        events.addAll(hold.release().events());
      }
    }
    violated(what, events);
  }

  void undecided(String why) {
    undecided = undecided == null ? why : undecided;
  }

  void note(String words) {
    note = words;
  }

  Verdict verdict() {
    if (count > 0) {
      return new Verdict(check, Verdict.Status.VIOLATED, looked, violations, count, note);
    }
    return undecided != null
        ? new Verdict(
            check,
            Verdict.Status.NOT_DECIDED,
            looked,
            List.of(),
            0,
            undecided + (note.isEmpty() ? "" : "; " + note))
        : new Verdict(check, Verdict.Status.PASSED, looked, List.of(), 0, note);
  }

  static String millis(long nanos) {
    return nanos / 1_000_000 + " ms";
  }
}
