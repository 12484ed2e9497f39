package io.holdfast.testservers;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** What the network of a {@link FaultyProxy} does at the moment, and what it has done so far. */
final class ProxyConditions {
  enum Direction {
    REQUESTS,
    REPLIES
  }

  enum Mode {
    FORWARD,
    BLACK_HOLE,
    BLACK_HOLE_REPLIES;

    boolean swallows(Direction direction) {
      return this == BLACK_HOLE || (this == BLACK_HOLE_REPLIES && direction == Direction.REPLIES);
    }
  }

  /** Bytes of one direction. */
  record Tally(LongAdder received, LongAdder delivered, LongAdder swallowed) {
    Tally() {
      this(new LongAdder(), new LongAdder(), new LongAdder());
    }
  }

  final LongAdder accepted = new LongAdder();
  final LongAdder connected = new LongAdder();
  private final Tally requests = new Tally();
  private final Tally replies = new Tally();
  private volatile Mode mode = Mode.FORWARD;
  private volatile long delayNanos;

  /** Guarded by this. */
  private boolean repliesHeld;

  void mode(Mode mode) {
    this.mode = mode;
  }

  boolean swallows(Direction direction) {
    return mode.swallows(direction);
  }

  void delay(Duration eachWay) {
    delayNanos = eachWay.toNanos();
  }

  long delayNanos() {
    return delayNanos;
  }

  synchronized void holdReplies(boolean held) {
    repliesHeld = held;
    notifyAll();
  }

  /** Returns when the direction is not held back. */
  synchronized void awaitPassage(Direction direction) throws InterruptedException {
    while (repliesHeld && direction == Direction.REPLIES) {
      wait();
    }
  }

  Tally tally(Direction direction) {
    return direction == Direction.REQUESTS ? requests : replies;
  }
}
