package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.LockClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.consumer.RecordingStream;

/**
 * Very many virtual threads that each want one of some keys once. All keys are held until everyone
 * waits, which shows what a waiting thread costs; then they are let go. Flight Recorder tells
 * whether a carrier was pinned.
 */
final class VirtualThreadsTask implements Task {
  /** Not recorded: the recorder itself pins when two threads give it a text at the same time. */
  private static final List<String> OUR_EVENTS =
      List.of("io.holdfast.AcquireWait", "io.holdfast.Hold", "io.holdfast.LatchWait");

  @Override
  public Fields run(List<LockClient> clients, Fields order) throws Exception {
    int threads = (int) order.number("threads");
    int keys = (int) order.number("keys");
    BenchLock[] locks = new BenchLock[keys];
    Object[] held = new Object[keys];
    for (int i = 0; i < keys; i++) {
      locks[i] = clients.get(0).lock(order.text("key") + ":" + i);
      held[i] = locks[i].acquire();
    }
    AtomicReference<Instant> measuredFrom = new AtomicReference<>(Instant.MAX);
    AtomicLong pinned = new AtomicLong();
    AtomicInteger failed = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(threads);
    CountDownLatch done = new CountDownLatch(threads);
    try (RecordingStream recorder = new RecordingStream()) {
      recorder.enable("jdk.VirtualThreadPinned").withoutThreshold();
      recorder.onEvent(
          "jdk.VirtualThreadPinned",
          event -> {
            if (event.getStartTime().isAfter(measuredFrom.get())) {
              pinned.incrementAndGet();
            }
          });
      OUR_EVENTS.forEach(recorder::disable);
      recorder.startAsync(); // before the warm-up: then we look for events of ours, and load them
      warmUp(clients.get(0), order.text("key"));
      measuredFrom.set(Instant.now());
      long before = HeapTask.usedHeap();
      ExecutorService executor = virtualThreads();
      for (int i = 0; i < threads; i++) {
        BenchLock lock = locks[i % keys];
        executor.execute(
            () -> {
              started.countDown();
              try {
                lock.release(lock.acquire());
              } catch (InterruptedException | RuntimeException e) {
                failed.incrementAndGet();
              } finally {
                done.countDown();
              }
            });
      }
      started.await();
      long waiting = HeapTask.usedHeap();
      long begin = System.nanoTime();
      for (int i = 0; i < keys; i++) {
        locks[i].release(held[i]);
      }
      boolean finished = done.await(order.number("limitMillis"), TimeUnit.MILLISECONDS);
      long nanos = System.nanoTime() - begin;
      if (!finished) {
        throw new IllegalStateException(
            "stalled: %d of %d threads still wait".formatted(done.getCount(), threads));
      }
      recorder.awaitTermination(Duration.ofMillis(1500)); // events come in with a delay
      return new Fields()
          .with("nanos", nanos)
          .with("waitingBytes", waiting - before)
          .with("pinned", pinned.get())
          .with("failed", failed.get());
    }
  }

  /** The loading of classes pins, once. */
  private static void warmUp(LockClient client, String key) throws Exception {
    ExecutorService executor = virtualThreads();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      BenchLock lock = client.lock(key + ":warm:" + i % 10);
      all.add(
          executor.submit(
              () -> {
                lock.release(lock.acquire());
                return true;
              }));
    }
    for (Future<?> each : all) {
      each.get();
    }
    executor.shutdown();
  }

  /** By name, since this is compiled for a Java without them. */
  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }
}
