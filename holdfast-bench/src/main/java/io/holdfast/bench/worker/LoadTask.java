package io.holdfast.bench.worker;

import io.holdfast.bench.lock.LockClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * Threads that lock and unlock until time is up. Operations that end within the time make the
 * throughput; those that were still under way at its end are finished, and counted only in the
 * total, to which commands and bytes are related.
 */
public final class LoadTask implements Task {
  /** Where in the page the acquisitions of exclusive locks are counted. */
  public static final int COUNTER = 0;

  /** Where those who ask for a lock of several processes draw a number; in another cache line. */
  static final int TICKETS = 16;

  private static final long PATIENCE_SECONDS = 25;

  @Override
  public Fields run(List<LockClient> clients, Fields order) throws InterruptedException {
    int threads = (int) order.number("threads");
    boolean oneKey = order.flag("oneKey");
    SharedPage page = order.flag("exclusive") ? new SharedPage(Path.of(order.text("page"))) : null;
    boolean inOrder = order.flag("inOrder");
    long start = order.number("startNanos");
    long end = start + TimeUnit.MILLISECONDS.toNanos(order.number("millis"));
    CountDownLatch done = new CountDownLatch(threads);
    CountDownLatch measured = new CountDownLatch(1);
    List<LoadThread> load = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      String key = order.text("key") + (oneKey ? "" : ":" + order.text("worker") + ":" + i);
      LoadThread thread =
          new LoadThread(clients.get(i % clients.size()).lock(key), page, inOrder, start, end);
      load.add(thread);
      new Thread(() -> thread.run(done, measured), "load-" + i).start();
    }
    TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
    ProcessMeter meter = new ProcessMeter();
    long patience = end - System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    try {
      if (!done.await(patience, TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException(
            "stalled: %d of %d threads still waited %d s after the end"
                .formatted(done.getCount(), threads, PATIENCE_SECONDS));
      }
      return report(load, meter);
    } finally {
      measured.countDown();
    }
  }

  private static Fields report(List<LoadThread> load, ProcessMeter meter) {
    Histogram acquire = Histograms.empty();
    Histogram pair = Histograms.empty();
    long total = 0;
    long outOfOrder = 0;
    for (LoadThread thread : load) {
      thread.rethrow();
      acquire.add(thread.acquire);
      pair.add(thread.pair);
      total += thread.total;
      outOfOrder += thread.outOfOrder;
    }
    return new Fields()
        .with("cpuNanos", meter.cpuNanos())
        .with("compileMillis", meter.compileMillis())
        .with("allocatedBytes", meter.allocatedBytes())
        .with("operations", pair.getTotalCount())
        .with("total", total)
        .with("outOfOrder", outOfOrder)
        .with("acquire", Histograms.encode(acquire))
        .with("pair", Histograms.encode(pair))
        .with(
            "perThread",
            load.stream()
                .map(thread -> String.valueOf(thread.pair.getTotalCount()))
                .collect(Collectors.joining(",")));
  }
}
