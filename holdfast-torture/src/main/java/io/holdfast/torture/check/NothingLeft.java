package io.holdfast.torture.check;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import java.util.List;

/** At the end no thread, connection, key, node or row is left. */
final class NothingLeft implements Check {
  @Override
  public String name() {
    return "nothing left";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (HistoryEvent event : history.events()) {
      if (event.action() == Action.CLIENT_END) {
        findings.looked();
      } else if (event.action() == Action.LEAK) {
        findings.violated("a %s is left".formatted(event.detail(Detail.WHAT)), List.of(event));
      }
    }
    return findings.verdict();
  }
}
