package io.holdfast.torture.check;

import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a fault breaks exclusion, as when somebody deletes a lock by hand, the holder whose lock is
 * gone learns of it: from its next renewal, or at the end of its lease at the latest.
 *
 * <pre>
 *   A holds   OK ====VALID====X====VALID===| - - - must be over by then, and told
 *   DEL                       |            |<- lease + margin ->|
 *   B                            INVOKE - OK ============VALID===
 * </pre>
 */
final class HoldersLearn implements Check {
  @Override
  public String name() {
    return "holders learn";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (List<Hold> holds : history.holds().values()) {
      for (Hold hold : holds) {
        Fault fault = hold.excuse();
        if (fault != null && fault.until() != Long.MAX_VALUE) {
          findings.looked();
          check(history, hold, fault, next(hold, fault, holds), settings, findings);
        }
      }
    }
    return findings.verdict();
  }

  /** The first that was certainly granted after the fault and cannot be beside the hold. */
  private static @Nullable Hold next(Hold hold, Fault fault, List<Hold> holds) {
    for (Hold each : holds) {
      if (each.acquire().from() > fault.until()
          && each.acquire().from() > hold.granted()
          && each.excludes(hold)) {
        return each;
      }
    }
    return null;
  }

  private void check(
      HistoryIndex history,
      Hold hold,
      Fault fault,
      @Nullable Hold next,
      CheckSettings settings,
      Findings findings) {
    if (next != null && hold.seenValid() > next.granted() + settings.recovery()) {
      findings.violated(
          "%s: after '%s' %s still believes to hold it, %s after %s had it"
              .formatted(
                  hold.subject(),
                  fault.begin().detail(Detail.FAULT),
                  hold.id(),
                  Findings.millis(hold.seenValid() - next.granted()),
                  next.id()),
          hold,
          next);
    }
    long deadline = fault.until() + settings.recovery();
    boolean forgotten =
        fault.has(Detail.FORGET)
            && hold.granted() < fault.from()
            && hold.released() > deadline
            && history.end() > deadline
            && hold.listens()
            && history.killed(hold.client()) > deadline
            && !history.paused(hold.client(), fault.from(), deadline);
    boolean told = hold.lost() <= deadline || (hold.release() != null && failed(hold));
    if (forgotten && !told && !settings.resumes()) {
      findings.violated(
          "%s: %s was not told that '%s' took it away"
              .formatted(hold.subject(), hold.id(), fault.begin().detail(Detail.FAULT)),
          hold);
    }
  }

  private static boolean failed(Hold hold) {
    return hold.release() != null && hold.release().ended(Phase.FAIL);
  }
}
