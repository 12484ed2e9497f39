package io.holdfast.redis.loop;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a thread that is about to wait at the sockets had better look for a moment before it goes
 * to sleep. That is so when it has just sent something else that it did not wait for: the answer to
 * that is on its way, would wake the thread for nothing, and its own comes right after it.
 *
 * <pre>
 *   thread  release ->  acquire ->  zzz  wake  zzz  wake      asleep for a few microseconds, twice
 *   server          [release]-answer [acquire]-answer
 *   thread  release ->  acquire ->  looks............ok
 * </pre>
 *
 * It is not worth it where answers take longer than the look, so after a few in vain only one in
 * many is tried. What is kept here is a guess: whatever becomes of it, the thread waits as ever
 * afterwards.
 */
final class ShortLook {
  static final long LONGEST = TimeUnit.MICROSECONDS.toNanos(50);

  /** What was sent longer ago than this has its answer. */
  private static final long RECENTLY = TimeUnit.MICROSECONDS.toNanos(100);

  private static final int IN_VAIN = 8;
  private static final int ONE_IN = 256;

  private final LongSupplier clock;
  private final boolean possible;
  private volatile @Nullable Thread sender; // the last one, if it has not waited since
  private volatile long sentAt;
  private volatile boolean followed; // what it sent last came soon after something else of its own
  private int inVain; // this and the next by who has the watch
  private int passedOver;

  ShortLook(LongSupplier clock, int processors) {
    this.clock = clock;
    this.possible = processors > 1; // else the server could not answer meanwhile
  }

  /** A thread of the application sends something. */
  void sends(Thread thread) {
    if (possible) {
      long now = clock.getAsLong();
      followed = sender == thread && now - sentAt < RECENTLY;
      sender = thread;
      sentAt = now;
    }
  }

  /** A thread is about to wait: true if it should look first, provided that it has the watch. */
  boolean isFor(Thread thread) {
    if (sender != thread) {
      return false;
    }
    sender = null;
    return followed;
  }

  /** Whether looks are worth it these days. */
  boolean isWorthIt() {
    if (inVain < IN_VAIN) {
      return true;
    }
    passedOver = (passedOver + 1) % ONE_IN;
    return passedOver == 0;
  }

  void ended(boolean found) {
    inVain = found ? 0 : Math.min(inVain + 1, IN_VAIN);
  }
}
