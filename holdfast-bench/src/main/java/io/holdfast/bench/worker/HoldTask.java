package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Takes many locks, keeps them for a while, and gives them back: those it cannot were lost. */
final class HoldTask {
  private record Held(BenchLock lock, Object handle) {}

  /** Locks belong to threads, so one thread does it all. */
  private final ExecutorService holder = Executors.newSingleThreadExecutor();

  private final List<Held> held = new ArrayList<>();

  /** Those of the worker itself, and the holder. */
  private final int threadsBefore = Thread.getAllStackTraces().size() + 1;

  Fields take(List<LockClient> clients, Fields order) throws Exception {
    return holder.submit(() -> takeAll(clients.get(0), order)).get();
  }

  private Fields takeAll(LockClient client, Fields order) throws InterruptedException {
    for (int i = 0; i < order.number("count"); i++) {
      BenchLock lock = client.lock(order.text("key") + ":" + i);
      held.add(new Held(lock, lock.acquire()));
    }
    return new Fields().with("held", held.size());
  }

  Fields keep(List<LockClient> clients, Fields order) throws InterruptedException {
    ProcessMeter meter = new ProcessMeter();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(order.number("millis"));
    Histogram probes = Histograms.empty();
    if (!order.text("probe").isEmpty()) {
      probe(clients.get(0).lock(order.text("probe")), end, probes);
    }
    TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
    return new Fields()
        .with("probes", Histograms.encode(probes))
        .with("cpuNanos", meter.cpuNanos())
        .with("compilerNanos", meter.compilerNanos())
        .with("compileMillis", meter.compileMillis())
        .with("threads", Thread.getAllStackTraces().size() - threadsBefore);
  }

  /** Often enough to meet whatever stands still for some milliseconds. */
  private static void probe(BenchLock lock, long end, Histogram times) throws InterruptedException {
    while (System.nanoTime() - end < 0) {
      long from = System.nanoTime();
      lock.release(lock.acquire());
      Histograms.record(times, System.nanoTime() - from);
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  Fields giveBack(List<LockClient> clients, Fields order) throws Exception {
    return holder.submit(this::giveBackAll).get();
  }

  private Fields giveBackAll() {
    long lost = 0;
    String why = "";
    for (Held each : held) {
      try {
        each.lock().release(each.handle());
      } catch (RuntimeException e) {
        lost++;
        why = e.toString();
      }
    }
    held.clear();
    return new Fields().with("lost", lost).with("why", why);
  }
}
