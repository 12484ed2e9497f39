package io.holdfast.bench.report;

import io.holdfast.bench.jmh.MicroResult;
import io.holdfast.bench.measure.Metric;
import io.holdfast.bench.measure.Result;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The report as Markdown. Charts are named by {@link #chartName}. */
final class MarkdownReport {
  /** Where the chart over all numbers of managers stands. */
  private static final String FIRST_OF_GROWTH = "I1";

  private final RunFacts facts;
  private final String method;

  /**
   * @param facts what was measured
   * @param method a link to the page that says how it is measured
   */
  MarkdownReport(RunFacts facts, String method) {
    this.facts = facts;
    this.method = method;
  }

  static String chartName(Result result) {
    return (result.delayed() ? "delayed-" : "") + result.id().toLowerCase(Locale.ROOT) + ".svg";
  }

  String text() {
    StringBuilder text = new StringBuilder("# Measured side by side\n\n");
    text.append(head());
    text.append(targets());
    facts.results().stream().filter(r -> !r.delayed()).forEach(r -> text.append(section(r)));
    if (facts.results().stream().anyMatch(Result::delayed)) {
      text.append("\n# Over a network with a delay\n\n").append(delay());
      facts.results().stream().filter(Result::delayed).forEach(r -> text.append(section(r)));
    }
    if (!facts.micro().isEmpty()) {
      text.append("\n## Microbenchmarks (JMH)\n\n").append(micro());
    }
    return text.toString();
  }

  private String delay() {
    return Prose.paragraph(
        """
        The same scenarios with %d µs more in each direction, where round trips decide and not CPU time.
        A PING takes %s µs, against %s µs without the delay.
        """
            .formatted(
                facts.delayMicros(),
                facts.pings().stream().skip(1).map(Metric::format).findFirst().orElse("?"),
                facts.pings().stream().map(Metric::format).findFirst().orElse("?")));
  }

  private String head() {
    StringBuilder text = new StringBuilder();
    text.append(
        Prose.paragraph(
            """
            Written by `./holdfast bench` (%s run: %d rounds of %d ms, interleaved). Figures are medians, and \
            ± half of the range between the rounds. [How it is measured](%s). All rounds are in \
            [results.csv](results.csv). Compare figures of one run with each other, not with those of another \
            machine.
            """
                .formatted(
                    facts.timing().name(),
                    facts.timing().rounds(),
                    facts.timing().slice().toMillis(),
                    method)));
    text.append('\n');
    Machine.describe().forEach(line -> text.append(Prose.item(line)));
    facts.servers().forEach(line -> text.append(Prose.item(line)));
    text.append(Prose.item(String.join(", ", facts.versions())));
    text.append(
        Prose.item(
            facts.cpuAwake()
                ? "Idle CPUs were kept from halting (`/dev/cpu_dma_latency` held at 0)."
                : "Idle CPUs were allowed to halt: waking them is part of every figure."));
    text.append(
        Prose.item(
            "Rounds in which the host took CPU time away: %d repeated, %d kept in spite of it."
                .formatted(facts.dropped(), facts.keptDisturbed())));
    return text.toString();
  }

  private String targets() {
    List<Target> targets = Targets.of(facts.results());
    if (targets.isEmpty()) {
      return "";
    }
    MarkdownTable table = new MarkdownTable(List.of("", "what", "target", "measured", ""));
    for (Target target : targets) {
      table.row(
          List.of(
              target.scenario(),
              target.text(),
              target.wanted(),
              target.measured(),
              target.verdict()));
    }
    return "\n## Targets\n\n" + table;
  }

  private static String section(Result result) {
    String chart = result.id().equals(FIRST_OF_GROWTH) ? ReportFiles.GROWTH : chartName(result);
    return "\n## %s: %s\n\n![%s](%s)\n\n%s"
        .formatted(
            result.id(), result.title(), result.title(), chart, new ResultTable(result).markdown());
  }

  private String micro() {
    Function<Double, String> number = Metric::format;
    MarkdownTable table = new MarkdownTable(List.of("", "average", "± (99.9 %)", "unit"));
    for (MicroResult result : facts.micro()) {
      table.row(
          List.of(
              result.name(),
              number.apply(result.score()),
              number.apply(result.error()),
              result.unit()));
    }
    return table.toString();
  }
}
