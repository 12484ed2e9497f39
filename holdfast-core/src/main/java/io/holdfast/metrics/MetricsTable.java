package io.holdfast.metrics;

import io.holdfast.LockHealth;
import io.holdfast.metrics.MetricsSnapshot.Family;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes a {@link MetricsSnapshot} for people: a line per lock manager, a table with a row per
 * family, and a line per check of the watchdog that was made.
 */
final class MetricsTable {
  private static final List<String> HEAD =
      List.of(
          "family",
          "acquired",
          "passed",
          "gave up",
          "failed",
          "asks failed",
          "wait p50",
          "p99",
          "max",
          "hold p50",
          "p99",
          "max",
          "renewed",
          "not renewed",
          "lost",
          "alerts",
          "recovered");

  private MetricsTable() {}

  static String of(MetricsSnapshot snapshot) {
    StringBuilder text = new StringBuilder();
    snapshot.managers().forEach(health -> text.append(manager(health)).append('\n'));
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    snapshot.families().forEach((name, family) -> rows.add(row(name, family)));
    rows.forEach(row -> text.append(line(row, widths(rows))).append('\n'));
    snapshot.checks().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry ->
                text.append(
                    "check %s: %d ok, %d not ok\n"
                        .formatted(
                            entry.getKey(), entry.getValue().ok(), entry.getValue().notOk())));
    snapshot.storeFindings().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry -> text.append("found %s: %d\n".formatted(entry.getKey(), entry.getValue())));
    if (snapshot.messagesLost() > 0) {
      text.append("messages lost: ").append(snapshot.messagesLost()).append(" times\n");
    }
    if (snapshot.ping().count() > 0) {
      text.append("ping p50 ").append(time(snapshot.ping().p50()));
      text.append(", p99 ").append(time(snapshot.ping().p99()));
      text.append(", max ").append(time(snapshot.ping().max())).append('\n');
    }
    return text.toString();
  }

  private static String manager(LockHealth health) {
    return "%s: %s, %d connections, %d held, %d waiting (%d locally), %d degraded, %d reconnects"
        .formatted(
            health.engine(),
            health.reachable() ? "reachable" : "NOT REACHABLE",
            health.connections(),
            health.held(),
            health.waiting(),
            health.waitingLocally(),
            health.degraded(),
            health.reconnects());
  }

  private static List<String> row(String name, Family family) {
    return List.of(
        printable(name),
        String.valueOf(family.acquired()),
        String.valueOf(family.passed().count()),
        String.valueOf(family.gaveUp()),
        String.valueOf(family.failed()),
        String.valueOf(family.requestsFailed()),
        time(family.waited().p50()),
        time(family.waited().p99()),
        time(family.waited().max()),
        time(family.held().p50()),
        time(family.held().p99()),
        time(family.held().max()),
        String.valueOf(family.renewed()),
        String.valueOf(family.renewalsFailed()),
        String.valueOf(family.losses()),
        String.valueOf(family.alerts()),
        family.recovered() + "/" + (family.recovered() + family.recoveriesFailed()));
  }

  private static List<Integer> widths(List<List<String>> rows) {
    List<Integer> widths = new ArrayList<>();
    for (int column = 0; column < HEAD.size(); column++) {
      int at = column;
      widths.add(
          rows.stream().map(row -> row.get(at).length()).max(Comparator.naturalOrder()).orElse(0));
    }
    return widths;
  }

  /** The name to the left, the numbers to the right. */
  private static String line(List<String> cells, List<Integer> widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < cells.size(); column++) {
      String cell = cells.get(column);
      String space = " ".repeat(widths.get(column) - cell.length());
      line.append(column == 0 ? cell + space : "  " + space + cell);
    }
    return line.toString();
  }

  /** Three figures or so, in a unit that suits. */
  static String time(Duration duration) {
    long nanos = duration.toNanos();
    if (nanos < 1_000) {
      return nanos + " ns";
    }
    if (nanos < 1_000_000) {
      return figures(nanos / 1e3) + " us";
    }
    if (nanos < 1_000_000_000) {
      return figures(nanos / 1e6) + " ms";
    }
    return figures(nanos / 1e9) + " s";
  }

  private static String figures(double number) {
    return String.format(
        Locale.ROOT, number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number);
  }

  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }
}
