package io.holdfast.torture.client;

import io.holdfast.LockInfo;
import io.holdfast.LockManagerClosedException;
import io.holdfast.StoreException;
import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import java.util.List;
import java.util.Map;

/**
 * Looks again and again who stands in the queues of the fair locks, and writes it down. Without it
 * nobody could tell from a history who came first: a call that waits does not say when its place in
 * the queue was taken.
 */
final class QueueWatcher implements Runnable {
  private static final long EVERY_MILLIS = 20;

  private final Locks locks;
  private final Recorder recorder;
  private final TurnsDraw turns;
  private volatile boolean stopped;

  QueueWatcher(Locks locks, Recorder recorder, TurnsDraw turns) {
    this.turns = turns;
    this.locks = locks;
    this.recorder = recorder;
  }

  void stop() {
    stopped = true;
  }

  @Override
  public void run() {
    try {
      while (!stopped) {
        look(Primitive.FAIR, Primitive.FAIR.keys().get(0));
        look(Primitive.TURNS, turns.key());
        Thread.sleep(EVERY_MILLIS);
      }
    } catch (InterruptedException | LockManagerClosedException e) {
      // the client ends
    }
  }

  private void look(Primitive primitive, String key) {
    try {
      long before = System.nanoTime();
      List<LockInfo.Waiter> waiters = locks.lock(primitive, key).info().waiters();
      long now = System.nanoTime(); // between the two they stood there
      for (LockInfo.Waiter waiter : waiters) {
        recorder.note(
            now,
            Action.QUEUED,
            List.of(key),
            Map.of(Detail.WAITER, waiter.application(), Detail.LOOKED, Long.toString(before)));
      }
    } catch (StoreException e) {
      // the nemesis is at work; nothing was seen
    }
  }
}
