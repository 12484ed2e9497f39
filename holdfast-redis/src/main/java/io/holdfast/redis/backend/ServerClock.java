package io.holdfast.redis.backend;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Relates the server's clock to the monotonic clock of this process, so that a grant in a message
 * has a local time without a round trip.
 *
 * <pre>
 *   here    sent ---------------------------------> grant is not earlier than sent + (g - s)
 *                \                                /
 *   server        s (some time after sent) ----- g
 * </pre>
 *
 * <p>The server read {@code s} after the request was sent, so the time from {@code sent} to the
 * grant is at least {@code g - s}. Less a margin for clocks with different rates it is certainly
 * before the grant. The result is never later than now, whatever the server's clock does.
 */
final class ServerClock {
  /** The largest clock drift that can be configured. */
  private static final double RATE_MARGIN = 0.1;

  /** Older samples would have too large a margin. Waiters ask once a second. */
  private static final long OLDEST_SAMPLE_NANOS = Duration.ofSeconds(2).toNanos();

  /** Calls of two processes within this time have no order: threads have to wake up. */
  private static final long AT_THE_SAME_TIME_NANOS = Duration.ofMillis(1).toNanos();

  private record Sample(long sentNanos, long serverMicros) {}

  private volatile @Nullable Sample latest;

  /** A script that was sent at the given local time has read the given server time. */
  void sample(long sentNanos, long serverMicros) {
    Sample known = latest;
    if (known == null || sentNanos - known.sentNanos() > 0) {
      latest = new Sample(sentNanos, serverMicros);
    }
  }

  /** Forgets the last sample, since the server may be another one now. */
  void reset() {
    latest = null;
  }

  /** A local time that is not later than the given server time; null without a recent sample. */
  @Nullable Long notLaterThan(long serverMicros, long nowNanos) {
    Sample known = recent(nowNanos);
    if (known == null) {
      return null;
    }
    long elapsed = (serverMicros - known.serverMicros()) * 1000;
    double rate = elapsed >= 0 ? RATE_MARGIN : RATE_MARGIN / (1 - RATE_MARGIN);
    long margin = (long) Math.ceil(Math.abs((double) elapsed) * rate);
    long local = known.sentNanos() + elapsed - margin;
    return local - nowNanos > 0 ? nowNanos : local;
  }

  /**
   * The local time of a server time, about; null without a recent sample. An arrival before it came
   * before the server time or at about the same time. For orders of arrival only, on which no
   * promise depends.
   */
  @Nullable Long about(long serverMicros, long nowNanos) {
    Sample known = recent(nowNanos);
    if (known == null) {
      return null;
    }
    long elapsed = (serverMicros - known.serverMicros()) * 1000;
    long local = known.sentNanos() + elapsed + AT_THE_SAME_TIME_NANOS;
    return local - nowNanos > 0 ? nowNanos : local;
  }

  private @Nullable Sample recent(long nowNanos) {
    Sample known = latest;
    return known == null || nowNanos - known.sentNanos() > OLDEST_SAMPLE_NANOS ? null : known;
  }
}
