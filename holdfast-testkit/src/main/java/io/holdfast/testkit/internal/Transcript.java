package io.holdfast.testkit.internal;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of some output, kept for failure messages. */
public final class Transcript {
  private static final int LINES = 200;

  private final Deque<String> lines = new ArrayDeque<>();

  public synchronized void add(String line) {
    if (lines.size() == LINES) {
      lines.removeFirst();
    }
    lines.addLast(line);
  }

  @Override
  public synchronized String toString() {
    return String.join("\n", lines);
  }
}
