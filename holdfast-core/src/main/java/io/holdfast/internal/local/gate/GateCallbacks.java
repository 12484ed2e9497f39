package io.holdfast.internal.local.gate;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who wait at a {@link LocalGate} with a callback instead of a thread, in order. Made when
 * the first of them comes, since most locks never see one.
 */
final class GateCallbacks {
  private static final Logger log = LoggerFactory.getLogger(GateCallbacks.class);

  private final LocalGate gate;
  private final Runnable afterServing;
  private final Queue<LocalGate.AsyncEntry> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger serving = new AtomicInteger();
  private volatile boolean threadsTurn;

  /**
   * @param afterServing what to do after callbacks were looked for, when the gate may have been
   *     left free by one that was cancelled
   */
  GateCallbacks(LocalGate gate, Runnable afterServing) {
    this.gate = gate;
    this.afterServing = afterServing;
  }

  void add(LocalGate.AsyncEntry entry) {
    waiting.add(entry);
  }

  void remove(LocalGate.AsyncEntry entry) {
    waiting.remove(entry);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  int size() {
    return waiting.size();
  }

  /** A thread has entered: it is not the threads' turn any more. */
  void threadEntered() {
    threadsTurn = false;
  }

  /**
   * Lets the first callback in if nobody is inside. Called after everything that may leave the gate
   * free with a callback waiting: an exit, a new callback, a thread that stopped waiting after it
   * was woken. One thread at a time does the work; a call that comes meanwhile, also from inside a
   * callback, makes that thread look once more.
   */
  void serve() {
    if (waiting.isEmpty() || serving.getAndIncrement() != 0) {
      return;
    }
    int seen = 1;
    do {
      try {
        letOneIn();
      } catch (RuntimeException | Error e) {
        log.error("a callback failed inside the gate", e);
      }
      seen = serving.addAndGet(-seen);
    } while (seen != 0);
    afterServing.run();
  }

  private void letOneIn() {
    while (!waiting.isEmpty() && gate.isFree()) {
      if (threadsTurn && gate.hasQueuedThreads()) {
        return;
      }
      int generation = gate.tryEnter(false);
      if (generation < 0) {
        return;
      }
      LocalGate.AsyncEntry entry = waiting.poll();
      if (entry != null && entry.claim()) {
        threadsTurn = true;
        entry.enter(generation);
        return;
      }
      gate.release(generation);
    }
  }
}
