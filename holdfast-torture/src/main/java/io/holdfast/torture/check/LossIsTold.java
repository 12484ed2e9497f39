package io.holdfast.torture.check;

import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Subject;
import java.util.List;

/**
 * Who loses a lock hears of it before the next has it, and does not believe in it afterwards. A
 * process that is paused or dead hears nothing; a fault that breaks exclusion gives it until the
 * end of its lease, which {@link HoldersLearn} checks.
 */
final class LossIsTold implements Check {
  @Override
  public String name() {
    return "loss is told";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    history
        .holds()
        .forEach(
            (subject, holds) -> {
              holds.forEach(each -> checkBelief(each, findings));
              if (subject.kind() == Subject.Kind.LOCK) {
                checkNext(history, holds, settings.grace().toNanos(), findings);
              }
            });
    return findings.verdict();
  }

  private static void checkBelief(Hold hold, Findings findings) {
    if (hold.lost() != Long.MAX_VALUE) {
      findings.looked();
      if (hold.seenValid() > hold.lost()) {
        findings.violated(
            "%s: %s was valid %s after its lost signal"
                .formatted(
                    hold.subject(), hold.id(), Findings.millis(hold.seenValid() - hold.lost())),
            hold);
      }
    }
  }

  private static void checkNext(
      HistoryIndex history, List<Hold> holds, long grace, Findings findings) {
    for (int i = 0; i + 1 < holds.size(); i++) {
      Hold hold = holds.get(i);
      Hold next = holds.get(i + 1);
      long heard = next.granted() + grace;
      if (hold.released() <= heard
          || mayBeOlder(next, hold)
          || history.killed(hold.client()) <= heard
          || history.paused(hold.client(), hold.granted() - grace, heard)
          || history.end() < heard
          || !hold.listens()
          || hold.excuse() != null) {
        continue;
      }
      findings.looked();
      if (hold.lost() > heard) {
        findings.violated(
            "%s: %s lost it and had not heard of it %s after %s had it"
                .formatted(hold.subject(), hold.id(), Findings.millis(grace), next.id()),
            hold,
            next);
      }
    }
  }

  /** The order in which two were told need not be the order in which they were granted. */
  private static boolean mayBeOlder(Hold next, Hold hold) {
    return next.acquire().from() < hold.granted()
        && (next.token() == 0 || hold.token() == 0 || next.token() < hold.token());
  }
}
