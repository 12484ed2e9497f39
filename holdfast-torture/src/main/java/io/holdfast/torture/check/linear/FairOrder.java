package io.holdfast.torture.check.linear;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Call;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Hold;
import io.holdfast.torture.history.Phase;
import io.holdfast.torture.history.Subject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which grants of a fair lock must come after which others.
 *
 * <p>A call that waits does not tell when its place in the queue was taken, so the order of two
 * calls says nothing about their order in the store. It is certain only where somebody has seen the
 * one in the queue before the other began:
 *
 * <pre>
 *   X of process P   INVOKE ------ seen in the queue ------------------------------ OK
 *   Y of process Q                        |             INVOKE ------- OK  must not be before X
 *                                         |<- Q asks for nothing ->|
 * </pre>
 *
 * <p>Only one process has a place, for all its threads. Therefore X must be the only call of P, and
 * Q must neither wait nor hold when X is seen, or Y may inherit an older place. A process that is
 * paused or cut off may lose its place, so there must be no fault meanwhile. A call that does not
 * wait has no place. What does not fulfil all of this is not compared.
 */
final class FairOrder {
  private final HistoryIndex history;
  private final List<Call> attempts;
  private final List<Hold> holds;
  private final long settle;

  /** Reads a history; a place that was given up may be seen for so long afterwards. */
  FairOrder(HistoryIndex history, Subject subject, long settle) {
    this.history = history;
    this.attempts = history.attempts().getOrDefault(subject, List.of());
    this.holds = history.holds().getOrDefault(subject, List.of());
    this.settle = settle;
  }

  /** For the id of a hold, the ids of those that must have been granted before it. */
  Map<String, Set<String>> after() {
    Map<String, Set<String>> after = new HashMap<>();
    for (HistoryEvent seen : history.events()) {
      if (seen.action() == Action.QUEUED) {
        for (Hold first : holds) {
          if (isSeen(first, seen)) {
            followers(first, seen.nanos())
                .forEach(
                    each ->
                        after.computeIfAbsent(each.id(), id -> new HashSet<>()).add(first.id()));
          }
        }
      }
    }
    return after;
  }

  private boolean isSeen(Hold first, HistoryEvent seen) {
    Call call = first.acquire();
    return first.client().equals(seen.detail(Detail.WAITER))
        && first.subject().key().equals(seen.key())
        && isFair(first)
        && call.from() < seen.nanos()
        && call.to() > seen.nanos()
        && attempts.stream()
            .filter(each -> !each.equals(call) && each.client().equals(first.client()))
            .allMatch(
                each ->
                    each.from() > call.to()
                        || each.to() < seen.nanos() - settle
                        || (each.ended(Phase.OK) && each.to() < call.from()));
  }

  private List<Hold> followers(Hold first, long seen) {
    List<Hold> followers = new ArrayList<>();
    for (Hold second : holds) {
      if (second.granted() < first.granted()
          && second.acquire().from() > seen
          && !second.client().equals(first.client())
          && isFair(second)
          && hadNothing(second, seen)
          && history.faults().stream()
              .noneMatch(each -> each.overlaps(first.acquire().from(), second.granted()))) {
        followers.add(second);
      }
    }
    return followers;
  }

  private static boolean isFair(Hold hold) {
    return "fair".equals(hold.acquire().detail(Detail.PRIMITIVE))
        && !"try".equals(hold.acquire().detail(Detail.HOW));
  }

  /** True if the process neither waited nor held from that moment until it asked for this. */
  private boolean hadNothing(Hold second, long seen) {
    long asked = second.acquire().from();
    return attempts.stream()
            .filter(each -> !each.equals(second.acquire()) && each.client().equals(second.client()))
            .noneMatch(each -> each.from() <= asked && each.to() >= seen - settle)
        && holds.stream()
            .filter(each -> each != second && each.client().equals(second.client()))
            .noneMatch(each -> each.acquire().from() <= asked && each.endedBy() >= seen);
  }
}
