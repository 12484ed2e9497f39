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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Which grants of a fair lock must come after which others.
 *
 * <p>A call that waits does not tell when its place in the queue was taken, so the order of two
 * calls says nothing about their order in the store. It is certain only where the one has been seen
 * in the queue before the other began:
 *
 * <pre>
 *   H of process R   =========== holds ====================|
 *   X of process P   INVOKE ----[ P looks, and is there ]------------------------- OK
 *   Y of process Q                                        | INVOKE ------- OK  must not be before X
 *                                                         | Q has nothing and wants nothing
 * </pre>
 *
 * <ul>
 *   <li>Only one process has a place, for all its threads. Therefore X must be the only call of P
 *       from before the look until its end, and Q must have nothing when Y begins. A call that was
 *       given up may leave a place behind for a while, so there must be none shortly before.
 *   <li>P must have looked itself: a server that lags behind may show others a place of an earlier
 *       call, but to nobody a state from before the answers which it had itself.
 *   <li>A process that is paused or cut off may lose its place, and needs a while to find its way
 *       back: there must be no fault from a lease before X until Y is granted.
 *   <li>A call that does not wait has no place.
 * </ul>
 *
 * <p>A process may pass on what it has, so Y proves nothing if Q itself had the lock last. A pair
 * is counted as compared only if another process, R, certainly had it when Y began: then Y before X
 * would be refused.
 *
 * <p>A call that is never granted has no place in an order of grants, and yet can be passed over:
 * it is if P sees itself in the queue before Y begins, and sees itself there still when Y was
 * granted, whatever becomes of X later.
 */
final class FairOrder {
  /** Two grants whose order is certain. */
  private record Pair(String first, String second) {}

  /** A call that was still in the queue when one that came later had been granted. */
  record PassedOver(Call first, Hold second) {}

  private final HistoryIndex history;
  private final Subject subject;
  private final Map<String, List<Call>> attempts = new HashMap<>();
  private final Map<String, List<Hold>> holds = new HashMap<>();
  private final NavigableMap<Long, List<Hold>> fair = new TreeMap<>();
  private final long settle;
  private final long lease;
  private final Map<String, Set<String>> after = new HashMap<>();
  private final Set<Pair> compared = new HashSet<>();
  private final List<PassedOver> passedOver = new ArrayList<>();
  private final Map<String, NavigableMap<Long, HistoryEvent>> looks = new HashMap<>();

  /** Reads a history; a place that was given up may be there for so long afterwards. */
  FairOrder(HistoryIndex history, Subject subject, long settle) {
    this.history = history;
    this.subject = subject;
    this.settle = settle;
    this.lease = history.lease();
    for (Call each : history.attempts().getOrDefault(subject, List.of())) {
      attempts.computeIfAbsent(each.client(), client -> new ArrayList<>()).add(each);
    }
    for (Hold each : history.holds().getOrDefault(subject, List.of())) {
      holds.computeIfAbsent(each.client(), client -> new ArrayList<>()).add(each);
      if (isFair(each.acquire())) {
        fair.computeIfAbsent(each.acquire().from(), from -> new ArrayList<>()).add(each);
      }
    }
    if (!fair.isEmpty()) {
      findLooks();
      compare();
      findPassedOver();
    }
  }

  /** True if the lock was used as a fair one. */
  boolean isUsed() {
    return !fair.isEmpty();
  }

  /** How many pairs were compared. */
  int compared() {
    return compared.size();
  }

  /**
   * For the id of a hold that was told before one that should precede it, the ids of those. Where
   * the answers came in the right order nothing can be wrong, and nothing has to be searched.
   */
  Map<String, Set<String>> after() {
    return after;
  }

  /** Those who were seen to wait on, and who was granted instead. */
  List<PassedOver> passedOver() {
    return passedOver;
  }

  private void findLooks() {
    for (HistoryEvent each : history.events()) {
      if (each.action() == Action.QUEUED
          && subject.key().equals(each.key())
          && each.client().equals(each.detail(Detail.WAITER))) {
        looks.computeIfAbsent(each.client(), client -> new TreeMap<>()).put(each.nanos(), each);
      }
    }
  }

  private void compare() {
    for (List<Hold> sameTime : fair.values()) {
      for (Hold first : sameTime) {
        looksAt(first.acquire())
            .min(Comparator.comparingLong(HistoryEvent::nanos))
            .ifPresent(look -> followers(first, look.nanos()));
      }
    }
  }

  private void findPassedOver() {
    for (Call first : attempts.values().stream().flatMap(List::stream).toList()) {
      List<HistoryEvent> seen =
          isFair(first)
              ? looksAt(first).takeWhile(look -> isCalm(first.from(), look.nanos())).toList()
              : List.of();
      if (seen.size() > 1) {
        long since = seen.get(0).nanos();
        long until = looked(seen.get(seen.size() - 1));
        fair.subMap(since, false, until, false).values().stream()
            .flatMap(List::stream)
            .filter(
                second ->
                    second.granted() < until
                        && !second.client().equals(first.client())
                        && hadNothing(second)
                        && othersHad(second))
            .findFirst()
            .ifPresent(second -> passedOver.add(new PassedOver(first, second)));
      }
    }
  }

  /** The looks at which it must have been this call that stood in the queue of its process. */
  private Stream<HistoryEvent> looksAt(Call call) {
    boolean alone =
        attempts.getOrDefault(call.client(), List.of()).stream()
                .filter(each -> !each.equals(call))
                .allMatch(each -> each.from() > call.to() || isOver(each, call.from()))
            && holds.getOrDefault(call.client(), List.of()).stream()
                .filter(each -> !each.acquire().equals(call))
                .allMatch(
                    each -> each.acquire().from() > call.to() || each.endedBy() < call.from());
    return looks
        .getOrDefault(call.client(), new TreeMap<>())
        .subMap(call.from(), false, call.to(), false)
        .values()
        .stream()
        .filter(look -> alone && call.from() < looked(look));
  }

  private static long looked(HistoryEvent look) {
    return look.number(Detail.LOOKED, look.nanos());
  }

  private void followers(Hold first, long seen) {
    for (List<Hold> sameTime : fair.subMap(seen, false, first.granted(), false).values()) {
      for (Hold second : sameTime) {
        if (!second.client().equals(first.client())
            && hadNothing(second)
            && isCalm(first.acquire().from(), Math.max(first.granted(), second.granted()))) {
          if (othersHad(second)) {
            compared.add(new Pair(first.id(), second.id()));
          }
          if (second.granted() < first.granted()) {
            after.computeIfAbsent(second.id(), id -> new HashSet<>()).add(first.id());
          }
        }
      }
    }
  }

  private static boolean isFair(Call call) {
    return "fair".equals(call.detail(Detail.PRIMITIVE)) && !"try".equals(call.detail(Detail.HOW));
  }

  /** True if nothing of the call, as a place in the queue, can have been left at that time. */
  private boolean isOver(Call call, long time) {
    return call.to() < (call.ended(Phase.OK) ? time : time - settle);
  }

  /** True if the process neither waited nor held when it asked for this. */
  private boolean hadNothing(Hold second) {
    long asked = second.acquire().from();
    return attempts.getOrDefault(second.client(), List.of()).stream()
            .filter(each -> !each.equals(second.acquire()))
            .allMatch(each -> each.from() > second.granted() || isOver(each, asked))
        && holds.getOrDefault(second.client(), List.of()).stream()
            .filter(each -> each != second)
            .allMatch(each -> each.acquire().from() > asked || each.endedBy() < asked);
  }

  private boolean isCalm(long asked, long end) {
    return history.faults().stream().noneMatch(each -> each.overlaps(asked - lease, end));
  }

  /** True if another process certainly had it when this was asked for. */
  private boolean othersHad(Hold second) {
    long asked = second.acquire().from();
    return holds.entrySet().stream()
        .filter(each -> !each.getKey().equals(second.client()))
        .flatMap(each -> each.getValue().stream())
        .anyMatch(each -> each.granted() < asked && each.seenValid() > asked);
  }
}
