package io.holdfast.testkit;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The lines that the log of this JVM gets about one key, for tests of what is logged. It reads what
 * {@code slf4j-simple} writes to {@code System.err}, which goes on to where it went before. Several
 * may listen at the same time.
 *
 * <pre>{@code
 * try (LogLines log = LogLines.about(key)) {
 *   lock.forceUnlock();
 *   assertThat(log.at("WARN")).hasSize(1);
 * }
 * }</pre>
 */
public final class LogLines implements AutoCloseable {
  private static final List<LogLines> OPEN = new CopyOnWriteArrayList<>();

  private final String text;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogLines(String text) {
    this.text = text;
  }

  /** Listens from now on for lines that contain this text. */
  public static LogLines about(String text) {
    Tee.install();
    LogLines log = new LogLines(text);
    OPEN.add(log);
    return log;
  }

  /** What was logged so far. */
  public List<String> all() {
    return List.copyOf(lines);
  }

  /** What was logged so far at this level, for instance {@code WARN}. */
  public List<String> at(String level) {
    return lines.stream().filter(line -> line.contains(" " + level + " ")).toList();
  }

  private void line(String line) {
    if (line.contains(text)) {
      lines.add(line);
    }
  }

  @Override
  public void close() {
    OPEN.remove(this);
  }

  /** Takes {@code System.err} apart into lines, and passes all of it on. */
  private static final class Tee extends OutputStream {
    private final PrintStream before;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    Tee(PrintStream before) {
      this.before = before;
    }

    private static boolean installed;

    static synchronized void install() {
      if (!installed) {
        installed = true;
        System.setErr(new PrintStream(new Tee(System.err), true, StandardCharsets.UTF_8));
      }
    }

    @Override
    public synchronized void write(int b) {
      before.write(b);
      if (b == '\n') {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        OPEN.forEach(each -> each.line(text));
      } else {
        line.write(b);
      }
    }
  }
}
