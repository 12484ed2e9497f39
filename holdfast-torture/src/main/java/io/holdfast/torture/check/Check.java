package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryIndex;

/** A rule that a history must keep. */
public interface Check {
  /** The name, for the report. */
  String name();

  /** Holds a history against it. */
  Verdict check(HistoryIndex history, CheckSettings settings);
}
