package io.holdfast.torture.report;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** Where a run is: on a terminal in one line that changes, elsewhere a line now and then. */
public final class Progress {
  private static final long LINE_NANOS = Duration.ofSeconds(5).toNanos();

  private final PrintWriter out;
  private final boolean terminal;
  private String engine = "";
  private long started = System.nanoTime();
  private long lastLine;
  private long violations;

  /** On a terminal, or not. */
  public Progress(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** An engine's turn begins. */
  public synchronized void engine(String name) {
    engine = name;
    started = System.nanoTime();
    lastLine = 0;
  }

  /** What happens now. */
  public synchronized void show(long operations, String now) {
    long at = System.nanoTime();
    String line =
        String.format(
            Locale.ROOT,
            "%-22s %4d s  %7d operations  %d violations  %s",
            engine,
            (at - started) / 1_000_000_000,
            operations,
            violations,
            now);
    if (terminal) {
      out.print("\r\u001b[K" + line);
      out.flush();
    } else if (at - lastLine > LINE_NANOS) {
      lastLine = at;
      out.println(line);
    }
  }

  /** A line that stays. */
  public synchronized void say(String text) {
    if (terminal) {
      out.print("\r\u001b[K");
    }
    out.println(text);
    out.flush();
  }

  /** What the checkers found. */
  public synchronized void violated(long more) {
    violations += more;
  }
}
