package io.holdfast.torture.check;

import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import java.util.List;

/**
 * When the faults have stopped, and those who live have given back what they had, every lock that
 * somebody wants can be obtained within a lease and a margin: whatever a dead process left behind
 * is gone by then.
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
    history
        .attempts()
        .forEach((subject, attempts) -> check(history, subject, calm, settings, findings));
    return findings.verdict();
  }

  private static void check(
      HistoryIndex history, Subject subject, long calm, CheckSettings settings, Findings findings) {
    List<Hold> holds = history.holds().getOrDefault(subject, List.of());
    List<Call> attempts = history.attempts().getOrDefault(subject, List.of());
    long free = withoutMulti(attempts, givenBack(history, holds, calm), settings.recovery());
    if (free == Long.MAX_VALUE) {
      return; // somebody has it until the end
    }
    long deadline = free + settings.recovery();
    List<Call> unlucky =
        attempts.stream().filter(each -> wanted(history, each, free, deadline)).toList();
    if (holds.stream().anyMatch(each -> each.granted() >= calm && each.granted() <= deadline)) {
      findings.looked();
    } else if (!unlucky.isEmpty()) {
      findings.looked();
      if (history.end() < deadline) {
        findings.undecided(subject + ": the history ends too early after the faults");
      } else {
        findings.violated(
            "%s was not obtainable for %s after the faults, although no living process had it"
                .formatted(subject, Findings.millis(deadline - free)),
            unlucky.get(0).events());
      }
    }
  }

  /** When the last living process that had it at the end of the faults has given it back. */
  private static long givenBack(HistoryIndex history, List<Hold> holds, long calm) {
    long free = calm;
    for (Hold hold : holds) {
      if (hold.granted() < calm && history.killed(hold.client()) == Long.MAX_VALUE) {
        free = Math.max(free, hold.endedBy());
      }
    }
    return free;
  }

  /** The same when no multi-lock, which may have it and wait for another, is in the way. */
  private static long withoutMulti(List<Call> attempts, long calm, long recovery) {
    long free = calm;
    for (Call call : attempts) { // in the order in which they began
      if (isMulti(call)
          && free != Long.MAX_VALUE
          && call.from() <= free + recovery
          && call.to() > free) {
        free = call.to();
      }
    }
    return free;
  }

  private static boolean isMulti(Call call) {
    return "multi".equals(call.detail(Detail.PRIMITIVE));
  }

  /**
   * True if it wanted the lock when it should have been free, and did not get it. A multi-lock
   * waits for others as well, and proves nothing about this one.
   */
  private static boolean wanted(HistoryIndex history, Call call, long free, long deadline) {
    boolean waits = call.from() <= deadline && call.to() > deadline;
    boolean gaveUp =
        call.to() > deadline - (deadline - free) / 10
            && call.to() <= deadline
            && !call.ended(Phase.OK);
    return (waits || gaveUp) && !isMulti(call) && history.killed(call.client()) == Long.MAX_VALUE;
  }
}
