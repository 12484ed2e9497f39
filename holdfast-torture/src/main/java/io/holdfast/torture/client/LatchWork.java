package io.holdfast.torture.client;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.LockManagerClosedException;
import io.holdfast.StoreException;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What is done to latches: set, count down, wait. */
final class LatchWork {
  private static final int COUNT = 3;
  private static final int MOST = 50;

  private final Recorder recorder;

  LatchWork(Recorder recorder) {
    this.recorder = recorder;
  }

  void run(DistributedCountDownLatch latch, int what, long waitMillis) throws InterruptedException {
    switch (what) {
      case 0 -> set(latch);
      case 1 -> countDown(latch);
      default -> await(latch, Math.max(0, waitMillis));
    }
  }

  /** Counts it down as often as needed, so that nothing is left at the end. */
  void open(DistributedCountDownLatch latch) {
    for (int i = 0; i < MOST && countDown(latch); i++) {
      // once more
    }
  }

  private void set(DistributedCountDownLatch latch) {
    Recorder.Call call = begin(Action.SET_COUNT, latch, Detail.COUNT, Integer.toString(COUNT));
    try {
      boolean done = latch.trySetCount(COUNT);
      call.ok(Map.of(Detail.RESULT, Boolean.toString(done)));
    } catch (StoreException e) {
      call.unknown(e);
    } catch (RuntimeException e) {
      call.bug(e);
    }
  }

  /** False if it was open. */
  private boolean countDown(DistributedCountDownLatch latch) {
    Recorder.Call call = begin(Action.COUNT_DOWN, latch);
    try {
      long left = latch.countDown();
      call.ok(Map.of(Detail.LEFT, Long.toString(left)));
      return left > 0;
    } catch (StoreException e) {
      call.unknown(e);
      return true;
    } catch (IllegalStateException | LockManagerClosedException e) {
      call.fail(Map.of());
      return false;
    } catch (RuntimeException e) {
      call.bug(e);
      return false;
    }
  }

  private void await(DistributedCountDownLatch latch, long waitMillis) throws InterruptedException {
    Recorder.Call call = begin(Action.AWAIT, latch, Detail.WAIT_MILLIS, Long.toString(waitMillis));
    try {
      boolean open = latch.await(Duration.ofMillis(waitMillis));
      call.end(System.nanoTime(), open ? Phase.OK : Phase.FAIL, Map.of());
    } catch (StoreException e) {
      call.unknown(e);
    } catch (RuntimeException e) {
      call.bug(e);
    }
  }

  private Recorder.Call begin(Action action, DistributedCountDownLatch latch, String... details) {
    return recorder.begin(action, List.of(latch.key()), Recorder.details(details));
  }
}
