package io.holdfast.torture.check;

import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Fault;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hold that follows another inside its process, and is stale because the store has granted the
 * lock to somebody else meanwhile, ends soon: the store is asked about it within half a second.
 * That is much less than the lease that {@link HoldersLearn} allows.
 *
 * <pre>
 *   A1 holds ======|  A2 asks, OK ====VALID==== - - - - | must be over by then
 *   DEL      |                    |<-- confirmation -->|
 *   B asks, OK === |
 * </pre>
 *
 * <p>That a hold is stale is certain if another process was told of a larger token before the hold
 * was asked for. Only where nothing but locks being deleted is wrong meanwhile: a store that does
 * not answer denies nothing.
 */
final class StaleChainsEnd implements Check {
  @Override
  public String name() {
    return "stale chains end";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    for (List<Hold> holds : history.holds().values()) {
      for (Hold hold : holds) {
        Hold successor = hold.excuse() == null ? null : successor(hold, holds);
        long end = hold.granted() + settings.confirmation().toNanos();
        if (successor != null && isCalm(history, hold.acquire().from(), end)) {
          findings.looked();
          if (hold.seenValid() > end) {
            findings.violated(
                "%s: %s was handed on after %s had the lock, and believes to hold it %s later"
                    .formatted(
                        hold.subject(),
                        hold.id(),
                        successor.id(),
                        Findings.millis(hold.seenValid() - hold.granted())),
                hold,
                successor);
          }
        }
      }
    }
    return findings.verdict();
  }

  /** One that the store certainly granted before this hold was asked for, and after its chain. */
  private static @Nullable Hold successor(Hold hold, List<Hold> holds) {
    for (Hold each : holds) {
      if (each.granted() >= hold.acquire().from()) {
        return null; // they are sorted by that
      }
      if (hold.token() != 0 && each.token() > hold.token() && each.excludes(hold)) {
        return each;
      }
    }
    return null;
  }

  private static boolean isCalm(HistoryIndex history, long from, long until) {
    return history.faults().stream()
        .filter(each -> each.overlaps(from, until))
        .allMatch(StaleChainsEnd::isDeletion);
  }

  private static boolean isDeletion(Fault fault) {
    return fault.has(Detail.FORGET);
  }
}
