package io.holdfast.bench.worker;

import io.holdfast.bench.lock.BenchLock;
import io.holdfast.bench.lock.LockClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Two parties pass a lock back and forth. The holder lets go only when the other has been waiting
 * for a while, and asks again only when the other has it:
 *
 * <pre>
 *   0   holds ......... unlock() | waits for 1 to have it | lock() .......... returned
 *   1   lock() ................. returned   holds until 0 waits   unlock() |
 *                      |<----->|                                 |<------>|
 *                      a hand-over                               another
 * </pre>
 *
 * Times are compared between processes: {@code nanoTime} is one clock for all of a machine.
 */
final class HandoverTask implements Task {
  private static final long SETTLE_NANOS = TimeUnit.MICROSECONDS.toNanos(1500);
  private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long OTHER_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** What stands where in the page; the parties' own numbers stand behind each other. */
  private static final int HOLDER = 1;

  private static final int UNLOCKED_AT = 2;
  private static final int WAITING_SINCE = 4;
  private static final int GONE = 6;

  /** Runs one party, or both when they are in one process. */
  @Override
  public Fields run(List<LockClient> clients, Fields order) throws Exception {
    SharedPage page = new SharedPage(Path.of(order.text("page")));
    long end = order.number("startNanos") + TimeUnit.MILLISECONDS.toNanos(order.number("millis"));
    List<Party> parties = new ArrayList<>();
    if (order.flag("both")) {
      parties.add(new Party(clients.get(0).lock(order.text("key")), page, 0, end));
      parties.add(new Party(clients.get(1).lock(order.text("key")), page, 1, end));
    } else {
      int role = (int) order.number("role");
      parties.add(new Party(clients.get(0).lock(order.text("key")), page, role, end));
    }
    List<Thread> threads = parties.stream().map(party -> new Thread(party, "party")).toList();
    threads.forEach(Thread::start);
    Histogram times = Histograms.empty();
    for (int i = 0; i < parties.size(); i++) {
      threads.get(i).join();
      parties.get(i).rethrow();
      times.add(parties.get(i).times);
    }
    return new Fields().with("handovers", Histograms.encode(times));
  }

  private static final class Party implements Runnable {
    private final Histogram times = Histograms.empty();
    private final BenchLock lock;
    private final SharedPage page;
    private final int me;
    private final int other;
    private final long end;
    private @Nullable Throwable failure;

    Party(BenchLock lock, SharedPage page, int me, long end) {
      this.lock = lock;
      this.page = page;
      this.me = me;
      this.other = 1 - me;
      this.end = end;
    }

    @Override
    public void run() {
      try {
        while (System.nanoTime() - end < 0) {
          pass();
        }
      } catch (Throwable e) {
        failure = e;
      } finally {
        page.set(GONE + me, 1);
      }
    }

    private void pass() throws InterruptedException {
      page.set(WAITING_SINCE + me, System.nanoTime());
      Object held = lock.acquire();
      long returned = System.nanoTime();
      page.set(WAITING_SINCE + me, 0);
      if (page.get(HOLDER) == other + 1) {
        Histograms.record(times, returned - page.get(UNLOCKED_AT));
      }
      page.set(HOLDER, me + 1);
      await(() -> otherWaits());
      page.set(UNLOCKED_AT, System.nanoTime());
      lock.release(held);
      await(() -> page.get(HOLDER) == other + 1);
    }

    private boolean otherWaits() {
      long since = page.get(WAITING_SINCE + other);
      return since != 0 && System.nanoTime() - since > SETTLE_NANOS;
    }

    /** Sleeps between looks, so as not to take the CPU from those who are measured. */
    private void await(BooleanSupplier condition) throws InterruptedException {
      long limit = System.nanoTime() + OTHER_NANOS;
      while (!condition.getAsBoolean() && page.get(GONE + other) == 0) {
        if (System.nanoTime() - limit > 0) {
          throw new IllegalStateException("stalled: the other party did not get the lock in 20 s");
        }
        LockSupport.parkNanos(LOOK_NANOS); // sleep() takes whole milliseconds before Java 21
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }

    void rethrow() {
      if (failure != null) {
        throw new IllegalStateException("a party failed: " + failure, failure);
      }
    }
  }
}
