package io.holdfast.bench;

import io.holdfast.bench.measure.Timing;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main class: {@code ./holdfast bench}. */
@Command(
    name = "holdfast bench",
    description = "Measures Holdfast and its peers side by side, and writes a report with charts.",
    mixinStandardHelpOptions = true)
public final class Bench implements Callable<Integer> {
  /** The lengths of a run. */
  enum Length {
    QUICK(Timing.QUICK),
    SHORT(Timing.SHORT),
    LONG(Timing.LONG),
    SMOKE(Timing.SMOKE);

    @SuppressWarnings("ImmutableEnumChecker") // a record of times and numbers
    private final Timing timing;

    Length(Timing timing) {
      this.timing = timing;
    }
  }

  @Option(
      names = "--length",
      description =
          "quick: minutes, an indication; short: an hour; long: hours, with tight error bars;"
              + " smoke: does it run at all."
              + " Default: ${DEFAULT-VALUE}")
  private Length length = Length.SHORT;

  @Option(names = "--out", description = "Folder for the report. Default: docs/benchmarks")
  private Path out = Path.of(System.getProperty("holdfast.repository", ""), "docs", "benchmarks");

  @Option(names = "--only", split = ",", description = "Letters of scenarios, as in A,C,K4.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--who",
      split = ",",
      description = "Parts of names, as in holdfast,redisson; =redisson is the whole name.")
  private List<String> who = new ArrayList<>();

  @Option(
      names = "--delay-micros",
      description = "Delay each way in the second table; 0: no second table. Default: 250")
  private long delayMicros = 250;

  @Option(names = "--no-micro", description = "Leave out the microbenchmarks.")
  private boolean withoutMicro;

  @Option(
      names = "--newer-jdk",
      description = "Folder of a JDK with virtual threads. Default: HOLDFAST_JDK25")
  private @Nullable Path newerJdk;

  @Option(
      names = "--page",
      description = "A page whose tables of our engines are replaced, as docs/choosing.md.")
  private @Nullable Path page;

  /** Runs it and ends the JVM. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new Bench()).setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter screen = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    BenchSettings settings =
        new BenchSettings(
            length.timing,
            out,
            only,
            who,
            Duration.ofNanos(delayMicros * 1000),
            !withoutMicro,
            jdk(),
            page);
    new BenchRun(settings, screen, Boolean.getBoolean("holdfast.terminal")).run();
    return CommandLine.ExitCode.OK;
  }

  /** The one that was named, or this one if it is new enough. */
  private @Nullable Path jdk() {
    String variable = System.getenv("HOLDFAST_JDK25");
    if (newerJdk == null && variable != null && !variable.isBlank()) {
      newerJdk = Path.of(variable);
    }
    if (newerJdk == null && Runtime.version().feature() >= 21) {
      return Path.of(System.getProperty("java.home"));
    }
    if (newerJdk != null && !Files.isExecutable(newerJdk.resolve("bin").resolve("java"))) {
      throw new IllegalArgumentException("there is no bin/java in " + newerJdk);
    }
    return newerJdk;
  }
}
