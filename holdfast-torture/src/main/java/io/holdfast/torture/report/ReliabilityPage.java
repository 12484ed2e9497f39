package io.holdfast.torture.report;

import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.run.EngineResult;
import io.holdfast.torture.run.FaultTally;
import io.holdfast.torture.run.TortureSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes the results between two marks of a page; everything around them stays. */
public final class ReliabilityPage {
  private static final String BEGIN = "<!-- results: written by ./holdfast torture --report -->";
  private static final String END = "<!-- end of results -->";

  private final Path page;

  /** The page. */
  public ReliabilityPage(Path page) {
    this.page = page;
  }

  /** Replaces the results. */
  public void write(TortureSettings settings, List<EngineResult> results) throws IOException {
    String text = Files.exists(page) ? Files.readString(page) : BEGIN + "\n" + END + "\n";
    int from = text.indexOf(BEGIN);
    int to = text.indexOf(END);
    if (from < 0 || to < from) {
      throw new IOException(page + " has no marks for the results");
    }
    Files.writeString(
        page,
        text.substring(0, from + BEGIN.length())
            + "\n"
            + tables(settings, results)
            + text.substring(to));
  }

  private static String tables(TortureSettings settings, List<EngineResult> results) {
    StringBuilder text = new StringBuilder();
    text.append(
        """

        %s: seed %d, %d client processes with %d threads each, %d s per engine,
        leases of %d ms, Java %s, %d processors.

        """
            .formatted(
                LocalDate.now(ZoneOffset.UTC),
                settings.seed(),
                settings.clients(),
                settings.threads(),
                settings.time().toSeconds(),
                TortureSettings.LEASE.toMillis(),
                Runtime.version().feature(),
                Runtime.getRuntime().availableProcessors()));
    text.append(
        "| engine | server | operations | faults | losses told | fair order | **violations** "
            + "| not decided | anomalies without fencing |\n");
    text.append("|---|---|---|---|---|---|---|---|---|\n");
    for (EngineResult each : results) {
      text.append(
          "| %s | %s | %d | %d | %d | %s | **%d** | %s | %s |\n"
              .formatted(
                  each.engine().label(),
                  each.version(),
                  each.operations(),
                  each.faults().stream().mapToInt(FaultTally::times).sum(),
                  each.losses(),
                  each.fairPairs() == 0 ? "not checked" : each.fairPairs() + " pairs",
                  each.violations(),
                  undecided(each),
                  anomalies(each)));
    }
    text.append(
        """

        Per fault, over all its occurrences and until a lease after each:
        how often / operations meanwhile / losses told / violations.

        """);
    text.append("| fault |");
    results.forEach(each -> text.append(' ').append(each.engine().label()).append(" |"));
    text.append("\n|---|").append("---|".repeat(results.size())).append('\n');
    for (FaultKind kind : FaultKind.values()) {
      text.append("| `").append(kind.label()).append("`: ").append(kind.words()).append(" |");
      results.forEach(each -> text.append(' ').append(cell(each, kind)).append(" |"));
      text.append('\n');
    }
    return text.append('\n').toString();
  }

  private static String cell(EngineResult result, FaultKind kind) {
    if (result.notRun().containsKey(kind)) {
      return "not run";
    }
    Optional<FaultTally> tally =
        result.faults().stream().filter(each -> each.kind() == kind).findFirst();
    return tally
        .map(
            each ->
                "%d / %d / %d / %d"
                    .formatted(each.times(), each.operations(), each.losses(), each.violations()))
        .orElse(result.possible().contains(kind) ? "not drawn" : "-");
  }

  private static String undecided(EngineResult result) {
    String names =
        result.verdicts().stream()
            .filter(each -> each.status() == Verdict.Status.NOT_DECIDED)
            .map(each -> each.check() + ": " + each.note().replaceAll(";.*", ""))
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "0" : names;
  }

  private static String anomalies(EngineResult result) {
    return result.verdicts().stream()
        .filter(each -> each.check().equals("plain register"))
        .map(each -> each.note().replaceAll(".*: ", "") + " in " + each.looked() + " writes")
        .findFirst()
        .orElse("?");
  }
}
