package io.holdfast.jdbc.backend;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Relates the clock of the database to the monotonic one of this process, so that a grant which
 * arrives as a message can be dated without asking.
 *
 * <pre>
 *   here      sent ---------------------------------> grant is not earlier than sent + (g - s)
 *                  \                                /
 *   database        s (some time after sent) ----- g
 * </pre>
 *
 * <p>The database read {@code s} after the request was sent, so from {@code sent} to the grant at
 * least {@code g - s} passes; that less a margin for clocks of different speed is certainly before
 * the grant. It is never later than now, whatever the clock of the database does.
 *
 * <p>The other way round it guesses what the clock of the database will show when a statement that
 * is sent now gets there: the way takes about as long as it did for the quickest of the samples, or
 * longer. A guess is only good for asking the database whether it is right.
 */
final class DatabaseClock {
  /** The most that clocks may be configured to differ in rate. */
  private static final double RATE_MARGIN = 0.1;

  /** Older samples are not used: their margin would be too large. Waiters ask once a second. */
  private static final long OLDEST_SAMPLE_NANOS = Duration.ofSeconds(2).toNanos();

  private record Sample(long sentNanos, long databaseMicros) {
    /** The less it is, the less time the statement took to get there. */
    long ahead() {
      return databaseMicros - sentNanos / 1000;
    }
  }

  private volatile @Nullable Sample latest;
  private volatile @Nullable Sample quickest;

  /** A statement that was sent at the given local time has read the given database time. */
  void sample(long sentNanos, long databaseMicros) {
    Sample known = latest;
    Sample next = new Sample(sentNanos, databaseMicros);
    if (known == null || sentNanos - known.sentNanos() > 0) {
      latest = next;
    }
    Sample best = quickest;
    if (best == null || isOld(best, sentNanos) || next.ahead() - best.ahead() < 0) {
      quickest = next;
    }
  }

  private static boolean isOld(Sample sample, long nowNanos) {
    return nowNanos - sample.sentNanos() > OLDEST_SAMPLE_NANOS;
  }

  /** About what the database will read when it is asked now; 0 when nothing is known. */
  long guessMicros(long nowNanos) {
    Sample known = quickest;
    if (known == null || isOld(known, nowNanos)) {
      return 0;
    }
    return known.databaseMicros() + (nowNanos - known.sentNanos()) / 1000;
  }

  /** The database may be another one now. */
  void reset() {
    latest = null;
    quickest = null;
  }

  /** A local time that is not later than the database time given; null when nothing is known. */
  @Nullable Long notLaterThan(long databaseMicros, long nowNanos) {
    Sample known = latest;
    if (known == null || isOld(known, nowNanos)) {
      return null;
    }
    long elapsed = (databaseMicros - known.databaseMicros()) * 1000;
    double rate = elapsed >= 0 ? RATE_MARGIN : RATE_MARGIN / (1 - RATE_MARGIN);
    long margin = (long) Math.ceil(Math.abs((double) elapsed) * rate);
    long local = known.sentNanos() + elapsed - margin;
    return local - nowNanos > 0 ? nowNanos : local;
  }
}
