package io.holdfast.cli.demo;

import io.holdfast.cli.English;
import io.holdfast.cli.Screen;
import io.holdfast.cli.Table;
import java.util.List;

/** What the demo has shown: a table of what was measured, and the same in words. */
final class Summary {
  private static final String NOTHING = "-";

  private final Screen screen;
  private final DemoSettings settings;

  Summary(Screen screen, DemoSettings settings) {
    this.screen = screen;
    this.settings = settings;
  }

  void print(List<RoundResult> results) {
    Table table =
        new Table(
            screen,
            "round",
            "stock",
            "sold",
            "oversold",
            "locks/s",
            "wait p50",
            "wait p99",
            "time");
    results.forEach(result -> addRow(table, result));
    screen.out().println();
    table.print();
    screen.out().println();
    results.forEach(result -> screen.out().println(inWords(result)));
    screen.out().println();
    screen
        .out()
        .println(
            """
            The only difference: lock.lock() before a sale, lock.unlock() after it (Seller.java).
            Sellers think while they hold the lock: locks/s is no measure of how fast it can be.\
            """);
    screen.out().flush();
  }

  private void addRow(Table table, RoundResult result) {
    boolean locked = result.report().locks() > 0;
    table.add(
        result.sales().oversold() > 0 ? "fg(red)" : "fg(green)",
        result.round().title(),
        English.number(settings.stock()),
        English.number(result.sales().sold()),
        English.number(result.sales().oversold()),
        locked ? English.number(Math.round(result.locksPerSecond())) : NOTHING,
        locked ? English.millis(result.waitAtPercentile(50)) : NOTHING,
        locked ? English.millis(result.waitAtPercentile(99)) : NOTHING,
        English.seconds(result.time()));
  }

  private String inWords(RoundResult result) {
    Sales sales = result.sales();
    String title = result.round() == Round.WITH_LOCK ? "With the lock" : "Without a lock";
    if (sales.oversold() > 0) {
      return "%s %s were sold %s times; item %s alone had %s buyers."
          .formatted(
              title,
              English.count(sales.items(), "item", "items"),
              English.number(sales.sold()),
              sales.mostSoldItem(),
              English.number(sales.mostSoldTimes()));
    }
    String luck =
        result.round() == Round.WITHOUT_LOCK
            ? " That was luck, or too few sellers to meet; try more --workers or --threads."
            : "";
    return "%s each of the %s items was sold exactly once.%s"
        .formatted(title, English.number(sales.items()), luck);
  }
}
