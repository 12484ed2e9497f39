package io.holdfast.torture.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A history written by hand. Times are milliseconds; a hold is named by its process and a number,
 * as in {@code A1}. Details are pairs of a name and a value.
 */
public final class Scene {
  public static final String KEY = "k";

  private final List<HistoryEvent> events = new ArrayList<>();
  private long op;

  private static Map<String, String> details(String... pairs) {
    Map<String, String> details = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      details.put(pairs[i], pairs[i + 1]);
    }
    return details;
  }

  private static String client(String hold) {
    return hold.substring(0, 1);
  }

  /** Any event. */
  public Scene event(
      long at, String client, long number, Phase phase, Action action, String... pairs) {
    events.add(
        new HistoryEvent(
            at * 1_000_000, client, "t" + client, number, phase, action, KEY, details(pairs)));
    return this;
  }

  /** A whole operation of a process. */
  public Scene call(
      long from, long to, String client, Action action, Phase phase, String... pairs) {
    long number = ++op;
    event(from, client, number, Phase.INVOKE, action, pairs);
    return event(to, client, number, phase, action, pairs);
  }

  /** An operation that has no end. */
  public Scene pending(long from, String client, Action action, String... pairs) {
    return event(from, client, ++op, Phase.INVOKE, action, pairs);
  }

  /** A hold is obtained. */
  public Scene obtain(long from, long to, String hold, String... pairs) {
    long number = ++op;
    event(from, client(hold), number, Phase.INVOKE, Action.ACQUIRE, pairs);
    Map<String, String> more = details(pairs);
    more.put(Detail.HOLDER, hold);
    events.add(
        new HistoryEvent(
            to * 1_000_000,
            client(hold),
            "t" + client(hold),
            number,
            Phase.OK,
            Action.ACQUIRE,
            KEY,
            more));
    return this;
  }

  /** A hold is seen to be valid. */
  public Scene valid(long at, String hold) {
    return note(at, hold, Action.VALID);
  }

  /** Something is seen of a hold. */
  public Scene note(long at, String hold, Action action) {
    return event(at, client(hold), 0, Phase.NOTE, action, Detail.HOLDER, hold);
  }

  /** A hold that was valid is given back. */
  public Scene release(long from, long to, String hold) {
    return release(from, to, hold, Phase.OK, Detail.VALID, "true");
  }

  /** A hold is given back. */
  public Scene release(long from, long to, String hold, Phase phase, String... pairs) {
    long number = ++op;
    Map<String, String> more = details(pairs);
    more.put(Detail.HOLDER, hold);
    for (boolean begins : List.of(true, false)) {
      events.add(
          new HistoryEvent(
              (begins ? from : to) * 1_000_000,
              client(hold),
              "t" + client(hold),
              number,
              begins ? Phase.INVOKE : phase,
              Action.RELEASE,
              KEY,
              more));
    }
    return this;
  }

  /** Something is broken for a while. */
  public Scene fault(long from, long to, String target, String effect, String breaks) {
    String id = Long.toString(++op);
    for (boolean begins : List.of(true, false)) {
      events.add(
          new HistoryEvent(
              (begins ? from : to) * 1_000_000,
              "nemesis",
              "",
              0,
              Phase.NOTE,
              begins ? Action.FAULT_BEGIN : Action.FAULT_END,
              "",
              details(
                  Detail.ID,
                  id,
                  Detail.FAULT,
                  "test",
                  Detail.TARGET,
                  target,
                  Detail.EFFECT,
                  effect,
                  Detail.BREAKS,
                  breaks)));
    }
    return this;
  }

  /** The last moment of the history. */
  public Scene end(long at) {
    return event(at, "Z", 0, Phase.NOTE, Action.INFO);
  }

  /** All of it, in the order of time. */
  public List<HistoryEvent> events() {
    return events.stream().sorted(Comparator.comparingLong(HistoryEvent::nanos)).toList();
  }

  /** All of it, put together. */
  public HistoryIndex index() {
    return new HistoryIndex(events());
  }
}
