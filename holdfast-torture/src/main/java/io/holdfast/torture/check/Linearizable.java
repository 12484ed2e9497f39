package io.holdfast.torture.check;

import io.holdfast.torture.check.linear.LinearResult;
import io.holdfast.torture.check.linear.LinearSuite;
import io.holdfast.torture.history.HistoryIndex;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** For every key there is an order of its operations that the sequential models accept. */
final class Linearizable implements Check {
  @Override
  public String name() {
    return "linearizable";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    Map<String, Integer> keys = new TreeMap<>();
    for (LinearSuite.Outcome each : LinearSuite.check(history, settings.budget())) {
      findings.looked(each.operations());
      keys.merge(each.model(), 1, Integer::sum);
      if (each.result() instanceof LinearResult.Refused refused) {
        findings.violated(each.subject() + ": " + refused.why(), refused.events());
      } else if (each.result() instanceof LinearResult.Undecided undecided) {
        findings.undecided(each.subject() + ", " + each.model() + ": " + undecided.why());
      }
    }
    findings.note(
        keys.entrySet().stream()
            .map(each -> each.getKey() + " of " + each.getValue())
            .collect(Collectors.joining(", ")));
    return findings.verdict();
  }
}
