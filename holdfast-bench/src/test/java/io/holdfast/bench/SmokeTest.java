package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.measure.Timing;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of the real thing, too short for its figures to mean anything. */
class SmokeTest {
  @TempDir private Path folder;

  @Test
  void scenariosRunInChildProcessesAndTheReportSaysWhatTheyDid()
      throws IOException, InterruptedException {
    Path page = folder.resolve("page.md");
    Files.writeString(
        page, "# Before\n<!-- measured: faults -->\nold\n<!-- end of faults -->\nAfter\n");
    StringWriter screen = new StringWriter();
    BenchSettings settings =
        new BenchSettings(
            Timing.SMOKE,
            folder,
            List.of("A", "E", "L"),
            List.of(
                "=raw Lettuce (floor)", "=Holdfast", "=Redisson", "=memory", "=Redis", "=SQLite"),
            Duration.ZERO,
            false,
            null,
            page);
    new BenchRun(settings, new PrintWriter(screen), false).run();

    assertThat(screen.toString()).contains("A 1/1 Holdfast", "Written to");
    Map<String, Double> values = values(); // a stray PING may be among the commands of few locks
    assertThat(values.get("A,raw Lettuce (floor),COMMANDS")).isBetween(2.0, 2.9);
    assertThat(values.get("A,Holdfast,COMMANDS")).isBetween(2.0, 2.9);
    assertThat(values.get("A,Redisson,COMMANDS")).isBetween(3.0, 3.9);
    assertThat(values.get("A,Holdfast,OPERATIONS")).isPositive();
    assertThat(values.get("A,Holdfast,PAIR_P99"))
        .isGreaterThanOrEqualTo(values.get("A,Holdfast,PAIR_P50"));
    assertThat(values.get("E,Holdfast,HANDOVERS")).isPositive();
    assertThat(values.get("L,memory,CONTENDED")).isPositive();
    assertThat(values.get("L,Redis,HANDOVER_P50")).isPositive();

    String report = Files.readString(folder.resolve("report.md"));
    assertThat(report)
        .contains("# Measured side by side", "Redis 7", "lettuce-core", "## Targets")
        .contains("## A: uncontended, 1 thread", "![uncontended, 1 thread](a.svg)")
        .doesNotContain("rounds failed");
    assertThat(folder.resolve("a.svg")).isNotEmptyFile();
    assertThat(Files.readString(folder.resolve("engines.md"))).contains("| memory |", "| Redis |");
    assertThat(values.get("L,SQLite,COMMANDS")).isBetween(2.0, 3.9);
    assertThat(Files.readString(page))
        .contains("# Before", "|  | Redis | SQLite |", "\nAfter")
        .containsPattern("the holder is killed \\(SIGKILL\\) \\| next [0-9,]+ \\| next [0-9,]+ \\|")
        .containsPattern("the leader of the servers is stopped \\| - \\| - \\|")
        .doesNotContain("old\n", "token not larger");
  }

  /** By scenario, subject and metric. */
  private Map<String, Double> values() throws IOException {
    Map<String, Double> values = new TreeMap<>();
    for (String line : Files.readAllLines(folder.resolve("results.csv"))) {
      if (line.contains(",direct,")) {
        int quote = line.indexOf('"');
        int end = line.lastIndexOf('"');
        String[] rest = line.substring(end + 2).split(",", -1); // round, metric, value
        values.put(
            line.substring(0, line.indexOf(','))
                + ","
                + line.substring(quote + 1, end)
                + ","
                + rest[1],
            Double.valueOf(rest[2]));
      }
    }
    return values;
  }
}
