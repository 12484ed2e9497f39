package io.holdfast.redis.loop;

import java.util.concurrent.TimeUnit;

/**
 * The decisions of {@link Watch}, as functions of what it sees: no thread, no clock and no state of
 * their own. Three rules stand behind them.
 *
 * <ul>
 *   <li>A caller that calls again and again, alone, finds the watch free and serves itself.
 *   <li>A caller that waits for long, alone, gets the watch from the loop thread.
 *   <li>Callers that wait at the same time are served by the loop thread: to pass the watch from
 *       one to the other would cost a wake-up for each answer.
 * </ul>
 */
final class WatchPolicy {
  /** Who waits at the sockets. */
  enum Watcher {
    NOBODY,
    LOOP_THREAD,
    CALLER
  }

  /** A parked caller asks the loop thread for the watch after this time. */
  static final long ASK_AFTER = TimeUnit.MICROSECONDS.toNanos(200);

  /** The selector counts in milliseconds. */
  private static final long SHORTEST_WATCH = TimeUnit.MILLISECONDS.toNanos(2);

  /** Calls that follow each other within this time are worth a free watch. */
  private static final long SOON = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long GLANCE = TimeUnit.MICROSECONDS.toNanos(400);

  /** While a caller has the watch it is not urgent; each glance costs a wake-up. */
  private static final long LONG_GLANCE = TimeUnit.MILLISECONDS.toNanos(1);

  /** While a caller is parked that may not have the watch. */
  private static final long SHORT_GLANCE = TimeUnit.MICROSECONDS.toNanos(50);

  private static final int MOST_IDLE_GLANCES = 8;
  private static final int ENOUGH_SOLO_CALLS = 4;

  /** What a call of two callers at a time costs in solo calls. */
  private static final int CROWD = -64;

  private WatchPolicy() {}

  /** Whether a caller may have the watch at all. */
  static boolean mayWatch(long nanos, boolean isVirtual) {
    return nanos >= SHORTEST_WATCH && !isVirtual;
  }

  /** Whether a parked caller may ask the loop thread for the watch, once it is time. */
  static boolean mayAsk(boolean isNext, int parkedCallers, Watcher watcher) {
    return isNext && parkedCallers == 1 && watcher == Watcher.LOOP_THREAD;
  }

  /**
   * How many callers in a row have called alone and soon after each other, with this caller that
   * has just been parked.
   */
  static int soloCalls(int before, long nanosSinceLast, Watcher watcher, int parkedCallers) {
    if (watcher != Watcher.LOOP_THREAD || parkedCallers > 1) {
      return CROWD;
    }
    return nanosSinceLast < SOON ? before + 1 : 0;
  }

  /** Whether the loop thread gives the watch away, to a caller that has asked or to nobody. */
  static boolean loopThreadLeaves(boolean isAsked, int soloCalls) {
    return isAsked || soloCalls >= ENOUGH_SOLO_CALLS;
  }

  /** Whether a caller that leaves the sockets passes the watch to the next caller in line. */
  static boolean passesOn(int parkedCallers) {
    return parkedCallers == 1;
  }

  /** Whether a free watch needs the loop thread at once. */
  static boolean needsLoopThread(int parkedCallers, boolean isAsleep, boolean isClosed) {
    return parkedCallers > 0 || isAsleep || isClosed;
  }

  /** When the loop thread, which has given the watch away, looks again. */
  static long untilNextGlance(Watcher watcher, int parkedCallers) {
    if (parkedCallers > 0) {
      return SHORT_GLANCE;
    }
    return watcher == Watcher.NOBODY ? GLANCE : LONG_GLANCE;
  }

  /** How many glances in a row have found that no caller has had the watch in between. */
  static int idleGlances(int before, boolean hasBeenUsed) {
    return hasBeenUsed ? 0 : before + 1;
  }

  /** Whether the loop thread goes on glancing, instead of watching or sleeping until called. */
  static boolean staysAway(int idleGlances, Watcher watcher) {
    return idleGlances == 0 || (watcher != Watcher.NOBODY && idleGlances < MOST_IDLE_GLANCES);
  }
}
