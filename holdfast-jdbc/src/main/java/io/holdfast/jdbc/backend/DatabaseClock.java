package io.holdfast.jdbc.backend;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Relates the clock of the database to the monotonic clock of this process, so that a grant that
 * arrives as a notification can be dated without a query.
 *
 * <pre>
 *   here      sent ---------------------------------> grant is not earlier than sent + (g - s)
 *                  \                                /
 *   database        s (some time after sent) ----- g
 * </pre>
 *
 * <p>The database read {@code s} after the request was sent, so at least {@code g - s} passes from
 * {@code sent} to the grant. That time less a margin for clocks of different speed is certainly
 * before the grant. The result is never later than now, whatever the clock of the database does.
 *
 * <p>In the other direction it estimates the reading of the database's clock when a statement that
 * is sent now arrives: the way takes about as long as the shortest of the samples, or longer. An
 * estimate may only be used in a condition that the database checks.
 */
final class DatabaseClock {
  /** The largest difference in rate between two clocks that core allows. */
  private static final double RATE_MARGIN = 0.1;

  /** Older samples are not used: their margin is too large. Waiters poll once a second. */
  private static final long OLDEST_SAMPLE_NANOS = Duration.ofSeconds(2).toNanos();

  private record Sample(long sentNanos, long databaseMicros) {
    /** The smaller it is, the less time the statement took to arrive. */
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

  /** Estimates the time that the database reads if it is asked now; 0 if unknown. */
  long guessMicros(long nowNanos) {
    Sample known = quickest;
    if (known == null || isOld(known, nowNanos)) {
      return 0;
    }
    return known.databaseMicros() + (nowNanos - known.sentNanos()) / 1000;
  }

  /** Forgets the samples: the next connection may lead to another server. */
  void reset() {
    latest = null;
    quickest = null;
  }

  /** A local time that is not later than the given database time; null if unknown. */
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
