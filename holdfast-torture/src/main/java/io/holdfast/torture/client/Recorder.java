package io.holdfast.torture.client;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryWriter;
import io.holdfast.torture.history.Phase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one thread writes to the history, with the numbers of its operations. */
final class Recorder {
  private final HistoryWriter history;
  private final String client;
  private final String thread;

  Recorder(HistoryWriter history, String client, String thread) {
    this.history = history;
    this.client = client;
    this.thread = thread;
  }

  /** An operation of this thread that has begun. */
  final class Call {
    private final long op;
    private final Action action;
    private final List<String> keys;

    private Call(long op, Action action, List<String> keys) {
      this.op = op;
      this.action = action;
      this.keys = keys;
    }

    /** A name for what it obtains, unique in the whole history. */
    String holder() {
      return client + "/" + op;
    }

    void ok(Map<String, String> details) {
      end(System.nanoTime(), Phase.OK, details);
    }

    void fail(Map<String, String> details) {
      end(System.nanoTime(), Phase.FAIL, details);
    }

    void unknown(Throwable why) {
      end(System.nanoTime(), Phase.UNKNOWN, Map.of(Detail.ERROR, text(why)));
    }

    /** It ended in a way that must never be. */
    void bug(Throwable why) {
      String text = text(why);
      end(System.nanoTime(), Phase.UNKNOWN, Map.of(Detail.ERROR, text, Detail.BUG, text));
    }

    void end(long nanos, Phase phase, Map<String, String> details) {
      write(nanos, op, phase, action, keys, details);
    }
  }

  Call begin(Action action, List<String> keys, Map<String, String> details) {
    return begin(System.nanoTime(), action, keys, details);
  }

  Call begin(long nanos, Action action, List<String> keys, Map<String, String> details) {
    Call call = new Call(history.nextOp(), action, keys);
    write(nanos, call.op, Phase.INVOKE, action, keys, details);
    return call;
  }

  /** A write, whose value is the name that its operation has. */
  Call beginWrite(Action action, String key, Map<String, String> details) {
    Call call = new Call(history.nextOp(), action, List.of(key));
    details.put(Detail.VALUE, call.holder());
    write(System.nanoTime(), call.op, Phase.INVOKE, action, List.of(key), details);
    return call;
  }

  /** Something that was seen at that time. */
  void note(long nanos, Action action, List<String> keys, Map<String, String> details) {
    write(nanos, 0, Phase.NOTE, action, keys, details);
  }

  private void write(
      long nanos,
      long op,
      Phase phase,
      Action action,
      List<String> keys,
      Map<String, String> details) {
    for (String key : keys) {
      history.write(new HistoryEvent(nanos, client, thread, op, phase, action, key, details));
    }
  }

  static String text(Throwable why) {
    Throwable cause = why;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return why + (cause == why ? "" : " because " + cause);
  }

  /** Details that are added one by one. */
  static Map<String, String> details(String... namesAndValues) {
    Map<String, String> details = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      details.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return details;
  }
}
