package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One thread of a load, with its own histograms so that nothing is shared but the lock. */
final class LoadThread {
  final Histogram acquire = Histograms.empty();
  final Histogram pair = Histograms.empty();
  long total;

  /** By how many places all acquisitions together were served too early or too late. */
  long outOfOrder;

  private final BenchLock lock;
  private final @Nullable SharedPage page;
  private final boolean inOrder;
  private final long start;
  private final long end;
  private @Nullable Throwable failure;

  /**
   * @param inOrder whether to count, in the page, who asks before whom
   */
  LoadThread(BenchLock lock, @Nullable SharedPage page, boolean inOrder, long start, long end) {
    this.lock = lock;
    this.page = page;
    this.inOrder = inOrder;
    this.start = start;
    this.end = end;
  }

  /** Stays alive until it has been measured. */
  void run(CountDownLatch done, CountDownLatch measured) {
    try {
      TimeUnit.NANOSECONDS.sleep(start - System.nanoTime());
      loop();
    } catch (Throwable e) {
      failure = e;
    } finally {
      done.countDown();
    }
    try {
      measured.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void loop() throws InterruptedException {
    long begin = System.nanoTime();
    while (begin - end < 0) {
      long ticket = page != null && inOrder ? page.increment(LoadTask.TICKETS) : 0;
      Object held = lock.acquire();
      long acquired = System.nanoTime();
      if (page != null) {
        long turn = page.incrementCarelessly(LoadTask.COUNTER);
        outOfOrder += inOrder ? Math.abs(turn - ticket) : 0;
      }
      lock.release(held);
      long released = System.nanoTime();
      total++;
      if (released - end <= 0) {
        Histograms.record(acquire, acquired - begin);
        Histograms.record(pair, released - begin);
      }
      begin = released;
    }
  }

  void rethrow() {
    if (failure != null) {
      throw new IllegalStateException("a thread failed: " + failure, failure);
    }
  }
}
