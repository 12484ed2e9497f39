package io.holdfast.torture.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A history put together: operations with their ends, holds with what is known of them, faults.
 * What checkers start from.
 */
public final class HistoryIndex {
  private static final long USUAL_LEASE = 30_000_000_000L;

  private record CallId(String client, long op, Action action, String key) {}

  private final List<HistoryEvent> events;
  private final Map<Action, List<Call>> calls = new EnumMap<>(Action.class);
  private final Map<Subject, List<Call>> attempts = new LinkedHashMap<>();
  private final Map<Subject, List<Hold>> holds = new LinkedHashMap<>();
  private final Map<String, List<Hold>> holdsById = new HashMap<>();
  private final List<Fault> faults = new ArrayList<>();

  /** Puts a history together, given in the order of time. */
  public HistoryIndex(List<HistoryEvent> events) {
    this.events = List.copyOf(events);
    pairCalls();
    pairFaults();
    for (Call call : calls(Action.ACQUIRE)) {
      attempts.computeIfAbsent(call.subject(), each -> new ArrayList<>()).add(call);
      if (call.ended(Phase.OK)) {
        obtained(call);
      }
    }
    for (Call call : calls(Action.RELEASE)) {
      holdsOf(call.invoke()).forEach(each -> each.left(call));
    }
    for (HistoryEvent event : this.events) {
      switch (event.action()) {
        case VALID, VALID_END, LOST -> holdsOf(event).forEach(each -> each.saw(event));
        default -> {
          // not about a hold
        }
      }
    }
    holds.values().forEach(each -> each.sort(Comparator.comparingLong(Hold::granted)));
    Excuses.find(this);
  }

  private void pairCalls() {
    Map<CallId, HistoryEvent> open = new LinkedHashMap<>();
    for (HistoryEvent event : events) {
      CallId id = new CallId(event.client(), event.op(), event.action(), event.key());
      if (event.phase() == Phase.INVOKE) {
        if (open.put(id, event) != null) {
          throw new IllegalArgumentException("begun twice: " + event);
        }
      } else if (event.phase() != Phase.NOTE) {
        HistoryEvent invoke = open.remove(id);
        if (invoke == null) {
          throw new IllegalArgumentException("ended, but not begun: " + event);
        }
        add(new Call(invoke, event));
      }
    }
    open.values().forEach(each -> add(new Call(each, null)));
    calls.values().forEach(each -> each.sort(Comparator.comparingLong(Call::from)));
  }

  private void add(Call call) {
    calls.computeIfAbsent(call.invoke().action(), each -> new ArrayList<>()).add(call);
  }

  private void pairFaults() {
    Map<String, Long> ends = new HashMap<>();
    for (HistoryEvent event : events) {
      if (event.action() == Action.FAULT_END) {
        ends.put(event.detail(Detail.ID, ""), event.nanos());
      }
    }
    for (HistoryEvent event : events) {
      if (event.action() == Action.FAULT_BEGIN) {
        faults.add(new Fault(event, ends.getOrDefault(event.detail(Detail.ID), Long.MAX_VALUE)));
      }
    }
  }

  private void obtained(Call call) {
    String id = call.detail(Detail.HOLDER);
    String name = id != null ? id : call.client() + "#" + call.invoke().op();
    List<Hold> same = holdsById.computeIfAbsent(name, each -> new ArrayList<>());
    Subject subject = call.subject();
    for (Hold hold : same) {
      if (hold.subject().equals(subject)) {
        hold.entered(call);
        return;
      }
    }
    Hold hold = new Hold(subject, name, call);
    same.add(hold);
    holds.computeIfAbsent(subject, each -> new ArrayList<>()).add(hold);
  }

  private List<Hold> holdsOf(HistoryEvent event) {
    List<Hold> named = holdsById.getOrDefault(event.detail(Detail.HOLDER, ""), List.of());
    return event.key().isEmpty()
        ? named
        : named.stream().filter(each -> each.subject().key().equals(event.key())).toList();
  }

  /** Everything, in the order of time. */
  public List<HistoryEvent> events() {
    return events;
  }

  /** When it begins. */
  public long begin() {
    return events.isEmpty() ? 0 : events.get(0).nanos();
  }

  /** When it ends. */
  public long end() {
    return events.isEmpty() ? 0 : events.get(events.size() - 1).nanos();
  }

  /** The operations of a kind, in the order in which they began. */
  public List<Call> calls(Action action) {
    return calls.getOrDefault(action, List.of());
  }

  /** All operations. */
  public List<Call> calls() {
    return calls.values().stream().flatMap(List::stream).toList();
  }

  /** Who asked for what, in the order in which they began. */
  public Map<Subject, List<Call>> attempts() {
    return attempts;
  }

  /** Who obtained what, in the order in which they were told. */
  public Map<Subject, List<Hold>> holds() {
    return holds;
  }

  /** What was broken. */
  public List<Fault> faults() {
    return faults;
  }

  /** When a process was killed; {@link Long#MAX_VALUE} if it was not. */
  public long killed(String client) {
    return faults.stream()
        .filter(each -> each.has(Detail.KILL) && each.hits(client))
        .mapToLong(Fault::from)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** True if the process stood still at some moment of the interval. */
  public boolean paused(String client, long start, long end) {
    return faults.stream()
        .anyMatch(each -> each.has(Detail.PAUSE) && each.hits(client) && each.overlaps(start, end));
  }

  /** The longest lease that a client said it would ask for. */
  public long lease() {
    return events.stream()
        .filter(each -> each.action() == Action.CLIENT_START)
        .mapToLong(each -> each.number(Detail.LEASE_MILLIS, 0) * 1_000_000)
        .max()
        .orElse(USUAL_LEASE);
  }
}
