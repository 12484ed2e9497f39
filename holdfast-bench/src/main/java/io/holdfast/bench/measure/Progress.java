package io.holdfast.bench.measure;

import java.io.PrintWriter;
import java.time.Duration;

/** Says how far a run is: on a terminal in one line that changes, elsewhere line by line. */
public final class Progress {
  private static final int WIDTH = 24;

  private final PrintWriter out;
  private final boolean terminal;
  private final int steps;
  private final long start = System.nanoTime();
  private int done;

  /** For so many steps. */
  public Progress(PrintWriter out, boolean terminal, int steps) {
    this.out = out;
    this.terminal = terminal;
    this.steps = Math.max(steps, 1);
  }

  /** The next step begins. */
  public void step(String what) {
    String line = bar() + " " + what + left();
    if (terminal) {
      out.print("\r\u001b[K" + line);
    } else {
      out.println(line);
    }
    out.flush();
    done++;
  }

  /** Something worth a line of its own. */
  public void say(String line) {
    out.println((terminal ? "\r\u001b[K" : "") + line);
    out.flush();
  }

  private String bar() {
    int share = Math.min(done, steps);
    int full = WIDTH * share / steps;
    return "[%s%s] %3d %%"
        .formatted("#".repeat(full), "-".repeat(WIDTH - full), 100 * share / steps);
  }

  /** Steps take about the same time, and more so the more there were. */
  private String left() {
    if (done < 5) {
      return "";
    }
    Duration spent = Duration.ofNanos(System.nanoTime() - start);
    Duration rest = spent.multipliedBy(Math.max(steps - done, 0)).dividedBy(done);
    return rest.toMinutes() > 0
        ? ", about %d min left".formatted(rest.toMinutes() + 1)
        : ", less than a minute left";
  }
}
