package io.holdfast.cli.demo;

import io.holdfast.cli.English;
import io.holdfast.cli.ProgressBar;
import io.holdfast.cli.Screen;
import io.lettuce.core.RedisException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The course of the demo: a server, workers, a round without the lock, a round with it. */
final class Demo {
  private static final String LABEL = "%-16s";

  private final DemoSettings settings;
  private final Screen screen;
  private final PrintWriter out;
  private final CleanUp cleanUp;

  Demo(DemoSettings settings, Screen screen, CleanUp cleanUp) {
    this.settings = settings;
    this.screen = screen;
    this.out = screen.out();
    this.cleanUp = cleanUp;
  }

  /** Runs it all, and returns what came out of the rounds, in order. */
  List<RoundResult> run() throws InterruptedException {
    StockServer server;
    Shop shop;
    ProgressBar bar = new ProgressBar(screen, LABEL.formatted("starting Redis"));
    show(bar, 0, "");
    try {
      server = cleanUp.ownUnlessStopped(server()); // the testkit has a shutdown hook for it
      shop = cleanUp.own(Shop.open(server, DemoKeys.of(settings.key()), settings.stock()));
    } finally {
      bar.erase();
    }
    introduce(server);
    Workforce workers = cleanUp.own(new Workforce());
    try {
      start(workers, server.url());
      List<RoundResult> results = new ArrayList<>();
      for (Round round : Round.values()) {
        results.add(play(round, shop, workers));
      }
      workers.dismiss();
      return results;
    } catch (RedisException e) {
      throw new DemoFailedException("Redis at " + server.address() + ": " + e.getMessage(), e);
    }
  }

  private StockServer server() {
    String url = settings.url();
    return url == null ? StockServer.embedded() : StockServer.at(url);
  }

  private void introduce(StockServer server) {
    out.println();
    out.println(screen.styled("bold", "Holdfast demo"));
    out.printf(
        "%s with %s each sell the same %s. The stock is%n",
        English.count(settings.workers(), "worker process", "worker processes"),
        English.count(settings.threads(), "thread", "threads"),
        English.count(settings.stock(), "item", "items"));
    out.printf(
        "a number in %s at %s.%n",
        server.isEmbedded() ? "an embedded Redis" : "Redis", server.address());
    out.printf(
        "A sale: read the number, think for %d to %d ms, write the number less one.%n",
        Seller.SHORTEST_THOUGHT.toMillis(), Seller.LONGEST_THOUGHT.toMillis());
    out.println();
    out.flush();
  }

  private void start(Workforce workers, String url) throws InterruptedException {
    ProgressBar bar = new ProgressBar(screen, LABEL.formatted("starting workers"));
    int number = settings.workers();
    for (int i = 0; i < number; i++) {
      workers.hire(url, settings);
    }
    try {
      workers.awaitReady(ready -> show(bar, ready, "%d of %d".formatted(ready, number)));
    } finally {
      bar.erase();
    }
  }

  /** Preparations are worth a line only where it does not stay. */
  private void show(ProgressBar bar, int workersReady, String remark) {
    if (screen.redraws()) {
      bar.update((double) workersReady / settings.workers(), remark);
    }
  }

  private RoundResult play(Round round, Shop shop, Workforce workers) throws InterruptedException {
    shop.restock(settings.stock());
    ProgressBar bar = new ProgressBar(screen, LABEL.formatted(round.title()));
    long start = System.nanoTime();
    WorkerReport report = workers.sell(round, () -> show(shop.tally(), bar));
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    Sales sales = shop.sales();
    bar.finish(English.number(sales.sold()) + " sold");
    return new RoundResult(round, sales, report, time);
  }

  private void show(Shop.Tally tally, ProgressBar bar) {
    double gone = settings.stock() - tally.left();
    bar.update(gone / settings.stock(), English.number(tally.sold()) + " sold");
  }
}
