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
 * gone learns of it: from its next renewal, or at the end of its lease at the latest. That needs no
 * margin: no renewal that is sent afterwards can succeed, and the belief ends a lease after the
 * last one that did.
 *
 * <pre>
 *   A holds   OK ====VALID====X====VALID=== - - - | must be over by then
 *   DEL                       |<------ lease ---->|<- margin ->| and told by then
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
    long lease = settings.lease().toNanos();
    long gone = next == null ? fault.until() : next.granted();
    boolean certain = next != null || (fault.has(Detail.FORGET) && !settings.resumes());
    if (certain && hold.seenValid() > gone + lease && !isObtainedInTrouble(history, hold)) {
      findings.violated(
          "%s: after '%s' took it away %s believes to hold it, %s later"
              .formatted(
                  hold.subject(),
                  fault.begin().detail(Detail.FAULT),
                  hold.id(),
                  Findings.millis(hold.seenValid() - gone)),
          next == null ? new Hold[] {hold} : new Hold[] {hold, next});
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

  /**
   * A request that was on its way for long may take the lock anew for somebody who does not know
   * that it was deleted meanwhile; see ADR 5.
   */
  private static boolean isObtainedInTrouble(HistoryIndex history, Hold hold) {
    return history.faults().stream()
        .filter(each -> !each.has(Detail.PROMPT))
        .anyMatch(each -> each.overlaps(hold.acquire().from(), hold.granted()));
  }

  private static boolean failed(Hold hold) {
    return hold.release() != null && hold.release().ended(Phase.FAIL);
  }
}
