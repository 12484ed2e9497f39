package io.holdfast.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * What came of running the command inside the test's JVM.
 *
 * @param exitCode what the shell would see
 * @param out its standard output
 * @param err its standard error
 */
public record CommandRun(int exitCode, String out, String err) {

  /** Runs {@code holdfast} with these arguments. */
  public static CommandRun of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command = Holdfast.commandLine(new PrintWriter(out, true));
    int exitCode = command.setErr(new PrintWriter(err, true)).execute(arguments);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }

  /** The cells of the table row that begins with the title, without it. */
  public List<String> row(String title) {
    return out.lines()
        .map(String::strip)
        .filter(line -> line.startsWith(title + "  ") && !line.contains("%"))
        .findFirst()
        .map(line -> List.of(line.substring(title.length()).strip().split(" {2,}")))
        .orElseThrow(() -> new AssertionError("no row '" + title + "' in:\n" + out));
  }
}
