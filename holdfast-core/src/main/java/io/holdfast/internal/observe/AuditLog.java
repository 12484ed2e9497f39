package io.holdfast.internal.observe;

import io.holdfast.LockLoss;
import io.holdfast.internal.lease.Hold;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who took, released, lost or forced which lock: one line each, on a logger of its own.
 *
 * <pre>
 *   acquired key="stock:42" owner="5f0c...:1" token=7 thread="worker-1" waitMs=3.120
 *   released key="stock:42" owner="5f0c...:1" token=7 thread="worker-1" heldMs=12.400 detail=""
 * </pre>
 *
 * <p>A line is a word and pairs, separated by single blanks. Text stands in quotes, and whatever
 * could end the quotes or the line is escaped as in JSON, so that a key or the name of a thread
 * cannot make a line of its own or hide one.
 */
public final class AuditLog {
  /** The name of the logger. */
  static final String LOGGER = "io.holdfast.audit";

  private static final Logger log = LoggerFactory.getLogger(LOGGER);

  private final boolean on;
  private final String clientId;

  /**
   * @param on false to write nothing
   * @param clientId who this is, for what is not done by an owner
   */
  public AuditLog(boolean on, String clientId) {
    this.on = on;
    this.clientId = clientId;
  }

  boolean isOn() {
    return on && log.isInfoEnabled();
  }

  void acquired(Hold hold, String key, long waitedNanos) {
    log.info("{}", line("acquired", hold, key).millis("waitMs", waitedNanos));
  }

  void released(Hold hold, String key, long heldNanos, String detail) {
    Line line = line("released", hold, key).millis("heldMs", heldNanos);
    log.info("{}", line.text("detail", detail));
  }

  void lost(Hold hold, LockLoss loss) {
    Line line = line("lost", hold, loss.key()).millis("heldMs", loss.heldFor().toNanos());
    log.info("{}", line.text("reason", loss.reason().toString()));
  }

  void forced(String key) {
    Line line = new Line("forced").text("key", key).text("by", clientId);
    log.info("{}", line.text("thread", Thread.currentThread().getName()));
  }

  private static Line line(String what, Hold hold, String key) {
    return new Line(what)
        .text("key", key)
        .text("owner", hold.tenure.owner().toString())
        .number("token", hold.token)
        .text("thread", hold.thread.getName());
  }

  /** A line that is being written. */
  static final class Line {
    private final StringBuilder text = new StringBuilder(160);

    Line(String what) {
      text.append(what);
    }

    Line number(String name, long value) {
      text.append(' ').append(name).append('=').append(value);
      return this;
    }

    /** Milliseconds with three places, whatever the language of the machine. */
    Line millis(String name, long nanos) {
      long micros = nanos / 1000;
      number(name, micros / 1000);
      text.append('.');
      String places = Long.toString(1000 + Math.abs(micros % 1000));
      text.append(places, 1, 4);
      return this;
    }

    Line text(String name, String value) {
      text.append(' ').append(name).append("=\"");
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c == '"' || c == '\\') {
          text.append('\\').append(c);
        } else if (isHarmless(c)) {
          text.append(c);
        } else {
          text.append("\\u").append(Integer.toHexString(0x10000 + c), 1, 5);
        }
      }
      text.append('"');
      return this;
    }

    /** Nothing that ends a line, moves the cursor, turns the direction of writing or is a half. */
    private static boolean isHarmless(char c) {
      return switch (Character.getType(c)) {
        case Character.CONTROL,
            Character.FORMAT,
            Character.LINE_SEPARATOR,
            Character.PARAGRAPH_SEPARATOR,
            Character.SURROGATE,
            Character.PRIVATE_USE,
            Character.UNASSIGNED ->
            false;
        default -> true;
      };
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
