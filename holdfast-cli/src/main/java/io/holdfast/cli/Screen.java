package io.holdfast.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command writes to, and what can be shown there. Java 17 cannot tell whether its output
 * alone is a terminal; the launcher script can, and passes the system property {@code
 * holdfast.terminal}. Without it everything is plain lines.
 *
 * @param out the writer
 * @param redraws true if a line can be written over
 * @param colors true if colors are welcome
 * @param unicode true if the encoding has characters to draw lines with
 */
public record Screen(PrintWriter out, boolean redraws, boolean colors, boolean unicode) {
  private static final String LINE = "\u2500";

  /** What is known about the standard output, for the writer that leads there. */
  public static Screen of(PrintWriter out) {
    boolean terminal = Boolean.getBoolean("holdfast.terminal");
    boolean colors = terminal && System.getenv("NO_COLOR") == null;
    return new Screen(out, terminal, colors, encoding().newEncoder().canEncode(LINE));
  }

  static PrintWriter standardOutput() {
    return new PrintWriter(System.out, true, encoding());
  }

  private static Charset encoding() {
    String name = System.getProperty("native.encoding", "");
    return Charset.isSupported(name) ? Charset.forName(name) : Charset.defaultCharset();
  }

  /** A horizontal line. */
  public String line(int length) {
    return (unicode ? LINE : "-").repeat(length);
  }

  /** Text in a picocli style, for instance {@code "bold"} or {@code "fg(red)"}. */
  public String styled(String style, String text) {
    return colors && !text.isEmpty() ? Ansi.ON.string("@|" + style + " " + text + "|@") : text;
  }
}
