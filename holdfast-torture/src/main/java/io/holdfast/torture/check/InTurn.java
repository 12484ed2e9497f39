package io.holdfast.torture.check;

import io.holdfast.torture.check.linear.LinearResult;
import io.holdfast.torture.check.linear.LinearSuite;
import io.holdfast.torture.history.HistoryIndex;

/**
 * Fair locks are granted in the order in which processes came, where that order is certain. Looks
 * at pairs of grants; a fair lock of which no two could be compared is not passed.
 */
final class InTurn implements Check {
  @Override
  public String name() {
    return Verdict.FAIR_ORDER;
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    long used = 0;
    long compared = 0;
    for (LinearSuite.Outcome each :
        LinearSuite.checkOrder(history, settings.budget(), settings.recovery())) {
      used++;
      compared += each.operations();
      if (each.result() instanceof LinearResult.Refused refused) {
        findings.violated(each.subject() + ": " + refused.why(), refused.events());
      } else if (each.result() instanceof LinearResult.Undecided undecided) {
        findings.undecided(each.subject() + ": " + undecided.why());
      }
    }
    findings.looked(compared);
    if (used > 0 && compared == 0) {
      findings.undecided("no two grants could be compared");
    }
    return findings.verdict();
  }
}
