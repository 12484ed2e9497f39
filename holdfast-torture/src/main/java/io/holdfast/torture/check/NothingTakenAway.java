package io.holdfast.torture.check;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * While nothing is broken, nobody's lock vanishes from the store: nothing is ever released or
 * granted on behalf of someone else.
 *
 * <pre>
 *   A   INVOKE - OK =======LOST "gone from the store"
 *         |<--- less than the lease --->|                 the store had no right to it yet
 *   B                   RELEASE of something else
 * </pre>
 *
 * <p>The lease counts from before the request, so that a holder who was slow to renew does no harm
 * here. Holds near a fault are not looked at.
 */
final class NothingTakenAway implements Check {
  private static final String GONE = "GONE_FROM_STORE";

  @Override
  public String name() {
    return "nothing taken away";
  }

  @Override
  public Verdict check(HistoryIndex history, CheckSettings settings) {
    Findings findings = new Findings(this, history);
    Map<String, HistoryEvent> gone = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      if (event.action() == Action.LOST && GONE.equals(event.detail(Detail.TEXT))) {
        gone.putIfAbsent(event.detail(Detail.HOLDER, ""), event);
      }
    }
    long lease = settings.lease().toNanos();
    for (List<Hold> holds : history.holds().values()) {
      for (Hold hold : holds) {
        findings.looked();
        HistoryEvent lost = gone.get(hold.id());
        if (lost != null && lost.nanos() - hold.acquire().from() < lease * 9 / 10) {
          long from = hold.acquire().from() - lease;
          if (history.faults().stream().noneMatch(each -> each.overlaps(from, lost.nanos()))) {
            findings.violated(
                "%s: the store has taken it from %s before its lease was over"
                    .formatted(hold.subject(), hold.id()),
                List.of(hold.acquire().invoke(), lost));
          }
        }
      }
    }
    return findings.verdict();
  }
}
