package io.holdfast.torture.run;

import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Checks;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.history.HistoryReader;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.report.ReliabilityPage;
import io.holdfast.torture.store.EngineName;
import io.holdfast.torture.store.TortureStore;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The main class: {@code ./holdfast torture}. */
@Command(
    name = "holdfast torture",
    description = {
      "Client processes lock at random while servers, network, clocks and clients are broken;",
      "then everything that happened is held against what is promised.",
      "Exit code 1: a violation. 3: none, but not everything could be tried or decided.",
      "4: none, but an engine could not be tried at all."
    },
    mixinStandardHelpOptions = true)
public final class Torture implements Callable<Integer> {
  private static final Pattern TIME = Pattern.compile("(\\d{1,6})(s|m|h)");

  @Option(
      names = "--engines",
      split = ",",
      description =
          "Which. Default: all. redis, zookeeper, zookeeper-ensemble, postgresql, "
              + "postgresql-pessimistic, mariadb, h2, sqlite")
  private List<String> engines = EngineName.labels();

  @Option(names = "--time", description = "How long per engine, as 25s or 10m. Default: 25s")
  private String time = "25s";

  @Option(names = "--clients", description = "Client processes. Default: ${DEFAULT-VALUE}")
  private int clients = 3;

  @Option(names = "--threads", description = "Threads in each. Default: ${DEFAULT-VALUE}")
  private int threads = 4;

  @Option(
      names = "--seed",
      description = "Draws faults and operations. Default: a new one, which is printed")
  private @Nullable Long seed;

  @Option(
      names = "--faults",
      split = ",",
      description = "all, none, or names as client-kill,server-pause. Default: all")
  private List<String> faults = List.of("all");

  @Option(
      names = "--long-holds",
      description = "How many of 100 holds last longer than the lease. Default: ${DEFAULT-VALUE}")
  private int longHolds = TortureSettings.USUAL_LONG_HOLDS;

  @Option(names = "--broken", description = "Uses a broken engine, to see that it is caught.")
  private String broken = "";

  @Option(names = "--out", description = "Folder for histories. Default: target/torture")
  private Path out = Path.of(System.getProperty("holdfast.repository", ""), "target", "torture");

  @Option(
      names = "--report",
      description = "Writes the results into this page, as docs/reliability.md")
  private @Nullable Path report;

  @Option(
      names = "--untried",
      description = "Writes what could not be tried into this file, a line each: ENGINE: WHAT: WHY")
  private @Nullable Path untried;

  @Option(names = "--check", description = "Runs nothing: judges the history in this folder again.")
  private @Nullable Path check;

  /** Runs it and ends the JVM. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Torture()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    PrintWriter screen = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Progress progress = new Progress(screen, Boolean.getBoolean("holdfast.terminal"));
    if (check != null) {
      List<Verdict> verdicts =
          Checks.run(HistoryReader.readDirectory(check), CheckSettings.of(TortureSettings.LEASE));
      verdicts.forEach(each -> progress.say(each.toString()));
      return verdicts.stream().anyMatch(each -> each.status() == Verdict.Status.VIOLATED) ? 1 : 0;
    }
    TortureSettings settings = settings();
    progress.say(
        "seed %d, %d clients with %d threads, %d s per engine"
            .formatted(
                settings.seed(),
                settings.clients(),
                settings.threads(),
                settings.time().toSeconds()));
    List<EngineResult> results = new ArrayList<>();
    CompletableFuture<TortureStore> slow = startSlowOne(settings.engines());
    for (EngineName engine : settings.engines()) {
      Supplier<TortureStore> servers = engine == EngineName.MARIADB ? slow::join : engine::start;
      EngineResult result = new EngineRun(settings, engine, servers, progress).run();
      results.add(result);
      progress.violated(result.violations());
      tell(result, progress);
    }
    if (report != null) {
      new ReliabilityPage(report).write(settings, results);
      progress.say("results are in " + report);
    }
    Conclusion conclusion = new Conclusion(results);
    conclusion.tell(progress, settings.seed(), untried);
    return conclusion.exitCode();
  }

  /** The first start of MariaDB takes so long that it begins while others have their turn. */
  private static CompletableFuture<TortureStore> startSlowOne(List<EngineName> engines) {
    return engines.contains(EngineName.MARIADB)
        ? CompletableFuture.supplyAsync(EngineName.MARIADB::start)
        : new CompletableFuture<>();
  }

  private static void tell(EngineResult result, Progress progress) {
    progress.say(
        "%-22s %s: %d operations, %d faults, %d losses told, fair order of %d pairs, %d violations, %d not decided"
            .formatted(
                result.engine().label(),
                result.version(),
                result.operations(),
                result.faults().stream().mapToInt(FaultTally::times).sum(),
                result.losses(),
                result.fairPairs(),
                result.violations(),
                result.undecided()));
    for (Verdict verdict : result.verdicts()) {
      if (!verdict.passed()) {
        progress.say(verdict.toString().indent(2).stripTrailing());
      }
    }
    result.open().forEach(each -> progress.say("  not tried: " + each));
    if (!result.violated().isEmpty()) {
      progress.say("  history: " + result.history());
    }
  }

  private TortureSettings settings() {
    return new TortureSettings(
        engines.stream().map(EngineName::of).toList(),
        duration(time),
        TortureSettings.QUIET,
        clients,
        threads,
        longHolds,
        seed != null ? seed : ThreadLocalRandom.current().nextLong(1, 1_000_000_000),
        kinds(faults),
        broken.isEmpty() ? "" : brokenEngine(broken).name(),
        out,
        CheckSettings.of(TortureSettings.LEASE),
        EnumSet.allOf(Primitive.class),
        verdicts -> false);
  }

  static Duration duration(String text) {
    Matcher parts = TIME.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("a time is a number with s, m or h, not " + text);
    }
    long number = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  private static Set<FaultKind> kinds(List<String> labels) {
    if (labels.equals(List.of("all"))) {
      return EnumSet.allOf(FaultKind.class);
    }
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    labels.stream().filter(each -> !each.equals("none")).map(FaultKind::of).forEach(kinds::add);
    return kinds;
  }

  private static BrokenEngine brokenEngine(String label) {
    String name = label.toUpperCase(Locale.ROOT).replace('-', '_');
    return Arrays.stream(BrokenEngine.values())
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no broken engine "
                        + label
                        + "; there are "
                        + Arrays.toString(BrokenEngine.values()).toLowerCase(Locale.ROOT)));
  }
}
