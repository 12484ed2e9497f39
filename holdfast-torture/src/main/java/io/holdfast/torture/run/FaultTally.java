package io.holdfast.torture.run;

import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.nemesis.FaultKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How a kind of fault went: how often, and what happened from its begin until a lease after its
 * end.
 *
 * @param kind which
 * @param times how often it was done
 * @param operations how many operations began meanwhile
 * @param losses how many losses were told meanwhile
 * @param violations how many of the told violations have their first event meanwhile
 */
public record FaultTally(FaultKind kind, int times, long operations, long losses, long violations) {

  private record Window(FaultKind kind, long from, long until) {}

  /** Counts, in the order of the kinds. */
  static List<FaultTally> of(List<HistoryEvent> events, List<Verdict> verdicts, long after) {
    List<Window> windows = windows(events, after);
    List<FaultTally> tallies = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      List<Window> mine = windows.stream().filter(each -> each.kind() == kind).toList();
      if (!mine.isEmpty()) {
        long wrong =
            verdicts.stream()
                .flatMap(each -> each.violations().stream())
                .filter(each -> !each.events().isEmpty())
                .filter(each -> within(mine, each.events().get(0).nanos()))
                .count();
        tallies.add(
            new FaultTally(
                kind,
                mine.size(),
                count(events, mine, each -> each.phase() == Phase.INVOKE),
                count(events, mine, each -> each.action() == Action.LOST),
                wrong));
      }
    }
    return tallies;
  }

  private static List<Window> windows(List<HistoryEvent> events, long after) {
    Map<String, HistoryEvent> begins = new HashMap<>();
    List<Window> windows = new ArrayList<>();
    for (HistoryEvent event : events) {
      if (event.action() == Action.FAULT_BEGIN) {
        begins.put(event.detail(Detail.ID, ""), event);
      } else if (event.action() == Action.FAULT_END) {
        HistoryEvent begin = begins.get(event.detail(Detail.ID, ""));
        if (begin != null) {
          FaultKind kind = FaultKind.of(begin.detail(Detail.FAULT, ""));
          windows.add(new Window(kind, begin.nanos(), event.nanos() + after));
        }
      }
    }
    return windows;
  }

  private static long count(
      List<HistoryEvent> events, List<Window> windows, Predicate<HistoryEvent> which) {
    return events.stream().filter(which).filter(each -> within(windows, each.nanos())).count();
  }

  private static boolean within(List<Window> windows, long nanos) {
    return windows.stream().anyMatch(each -> each.from() <= nanos && nanos <= each.until());
  }
}
