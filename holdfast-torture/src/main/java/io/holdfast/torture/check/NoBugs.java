package io.holdfast.torture.check;

import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import java.util.List;

/**
 * Nothing happened that the workload knows to be wrong at once, as an exception nobody declares.
 */
final class NoBugs implements Check {
  @Override
  public String name() {
    return "no bugs";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (HistoryEvent event : history.events()) {
      findings.looked();
      if (event.detail(Detail.BUG) != null) {
        findings.violated("bug: " + event.detail(Detail.BUG), List.of(event));
      }
    }
    return findings.verdict();
  }
}
