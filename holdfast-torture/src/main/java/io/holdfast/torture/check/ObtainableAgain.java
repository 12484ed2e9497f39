package io.holdfast.torture.check;

import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import java.util.List;

/**
 * When the faults have stopped, every lock that somebody wants can be obtained within a lease and a
 * margin: whatever a dead process left behind is gone by then.
 */
final class ObtainableAgain implements Check {
  @Override
  public String name() {
    return "obtainable again";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    long calm = history.faults().stream().mapToLong(Fault::until).max().orElse(history.begin());
    if (calm == Long.MAX_VALUE) {
      findings.undecided("a fault has no end");
      return findings.verdict();
    }
    long deadline = calm + settings.recovery();
    history
        .attempts()
        .forEach((subject, attempts) -> check(history, subject, calm, deadline, findings));
    return findings.verdict();
  }

  private static void check(
      HistoryIndex history, Subject subject, long calm, long deadline, Findings findings) {
    List<Call> unlucky =
        history.attempts().getOrDefault(subject, List.of()).stream()
            .filter(each -> wanted(history, each, calm, deadline))
            .toList();
    if (history.holds().getOrDefault(subject, List.of()).stream()
        .anyMatch(each -> isHad(each, calm, deadline))) {
      findings.looked();
    } else if (!unlucky.isEmpty()) {
      findings.looked();
      if (history.end() < deadline) {
        findings.undecided(subject + ": the history ends too early after the faults");
      } else {
        findings.violated(
            "%s was not obtainable for %s after the faults"
                .formatted(subject, Findings.millis(deadline - calm)),
            unlucky.get(0).events());
      }
    }
  }

  private static boolean isHad(Hold hold, long calm, long deadline) {
    return (hold.granted() >= calm && hold.granted() <= deadline)
        || (hold.granted() < calm && hold.seenValid() >= deadline);
  }

  /** True if it wanted the lock when it should have been free, and did not get it. */
  private static boolean wanted(HistoryIndex history, Call call, long calm, long deadline) {
    boolean waits = call.from() <= deadline && call.to() > deadline;
    boolean gaveUp =
        call.to() > deadline - (deadline - calm) / 10
            && call.to() <= deadline
            && !call.ended(Phase.OK);
    return (waits || gaveUp) && history.killed(call.client()) == Long.MAX_VALUE;
  }
}
