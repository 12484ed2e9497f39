package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The local time of a grant in a message is never later than the grant. */
class ServerClockTest {
  private static final long SECOND = 1_000_000_000L;

  private final ServerClock clock = new ServerClock();

  @Test
  void nothingIsKnownBeforeTheFirstAnswer() {
    assertThat(clock.notLaterThan(1, 1)).isNull();
  }

  @Test
  void nothingIsKnownAfterAReset() {
    clock.sample(5, 5);
    clock.reset();
    assertThat(clock.notLaterThan(6, 1000)).isNull();
  }

  @Test
  void aGrantAtTheTimeOfTheSampleIsDatedToItsSending() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(777_000_000, 12 * SECOND)).isEqualTo(10 * SECOND);
  }

  @Test
  void aLaterGrantIsDatedByTheServersClockLessTenPercent() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(778_000_000, 12 * SECOND))
        .isEqualTo(10 * SECOND + SECOND * 90 / 100);
  }

  @Test
  void anEarlierGrantIsDatedAsIfTheServersClockWasTenPercentSlow() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(776_100_000, 12 * SECOND)).isEqualTo(9 * SECOND);
  }

  @Test
  void nothingIsKnownFromAnOldSample() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(777_000_000, 12 * SECOND)).isNotNull();
    assertThat(clock.notLaterThan(777_000_000, 12 * SECOND + 1)).isNull();
  }

  @Test
  void theSampleThatWasSentLastCounts() {
    clock.sample(10 * SECOND, 777_000_000);
    clock.sample(12 * SECOND, 779_500_000);
    clock.sample(11 * SECOND, 778_000_000);
    assertThat(clock.notLaterThan(779_500_000, 13 * SECOND)).isEqualTo(12 * SECOND);
  }

  @Test
  void aServerClockThatJumpedForwardDatesAGrantNoLaterThanNow() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(777_000_000 + 3_600_000_000L, 11 * SECOND))
        .isEqualTo(11 * SECOND);
  }

  /** Arrivals within a millisecond have no order. */
  @Test
  void anArrivalIsDatedAMillisecondLate() {
    clock.sample(10 * SECOND, 777_000_000);
    long millisecond = SECOND / 1000;
    assertThat(clock.about(777_500_000, 12 * SECOND))
        .isEqualTo(10 * SECOND + SECOND / 2 + millisecond);
    assertThat(clock.about(776_000_000, 12 * SECOND)).isEqualTo(9 * SECOND + millisecond);
  }

  @Test
  void anArrivalIsNeverDatedLaterThanNow() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.about(777_000_001, 10 * SECOND + 1)).isEqualTo(10 * SECOND + 1);
    Random random = new Random(8);
    for (int i = 0; i < 10_000; i++) {
      Long local = clock.about(random.nextLong(), 11 * SECOND);
      assertThat(Objects.requireNonNull(local) - 11 * SECOND).isLessThanOrEqualTo(0);
    }
  }

  @Test
  void anArrivalIsNotDatedByAnOldSampleOrAnotherServer() {
    assertThat(clock.about(1, 1)).isNull();
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.about(777_000_000, 12 * SECOND + 1)).isNull();
    clock.reset();
    assertThat(clock.about(777_000_000, 11 * SECOND)).isNull();
  }

  @Test
  void aServerClockThatJumpedBackDatesAGrantTooEarlyWhichIsSafe() {
    clock.sample(10 * SECOND, 777_000_000);
    assertThat(clock.notLaterThan(777_000_000 - 60_000_000, 11 * SECOND))
        .isLessThan(10 * SECOND - 59 * SECOND);
  }

  @Test
  void noAbsurdTimeInAMessageGivesATimeLaterThanNow() {
    clock.sample(10 * SECOND, 777_000_000);
    Random random = new Random(7);
    long now = 11 * SECOND;
    for (int i = 0; i < 10_000; i++) {
      long dated = date(clock, random.nextLong() >> random.nextInt(64), now);
      assertThat(dated - now).isLessThanOrEqualTo(0);
    }
    for (long absurd : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 0, -1}) {
      assertThat(date(clock, absurd, now) - now).isLessThanOrEqualTo(0);
    }
  }

  /**
   * Simulates a request, a grant and a message on two clocks with any offset, rates that differ by
   * up to ten percent, any delays, and a local clock that may be about to wrap around.
   *
   * <pre>
   *   true time   sent -- uplink --> sample                  grant -- downlink --> received
   * </pre>
   */
  @Test
  void theDateIsNeverLaterThanTheGrantWhateverOffsetDelayOrDriftOfTenPercent() {
    Random random = new Random(42);
    int used = 0;
    for (int i = 0; i < 50_000; i++) {
      double drift = (random.nextDouble() * 2 - 1) * 0.099;
      long localOffset = random.nextInt(4) == 0 ? Long.MAX_VALUE - SECOND : random.nextLong() / 4;
      long serverOffset = (random.nextLong() >> 16) / 1000; // microseconds, up to years
      long sent = below(random, 3600 * SECOND);
      long sample = sent + below(random, SECOND);
      long grant =
          random.nextInt(4) == 0
              ? Math.max(0, sample - below(random, 5 * SECOND)) // the answer overtakes the message
              : sample + below(random, SECOND);
      long received = Math.max(grant, sample) + below(random, SECOND);

      ServerClock fresh = new ServerClock();
      fresh.sample(localOffset + sent, server(sample, serverOffset, drift));
      Long dated = fresh.notLaterThan(server(grant, serverOffset, drift), localOffset + received);
      if (dated == null) {
        assertThat(received - sent).isGreaterThan(2 * SECOND);
        continue;
      }
      used++;

      long tolerance = 2000; // the server counts microseconds
      assertThat(dated - (localOffset + grant))
          .as("round %d, drift %f", i, drift)
          .isLessThanOrEqualTo(tolerance);
      assertThat(dated - (localOffset + received)).isLessThanOrEqualTo(0);
    }
    assertThat(used).isGreaterThan(25_000);
  }

  @Test
  void theDateIsCloseWhenTheSampleIsFresh() {
    long now = 100 * SECOND;
    clock.sample(now, 5_000_000); // sent now, read by the server 1 ms later
    long dated = date(clock, 5_000_000 + 500_000, now + SECOND);
    assertThat(now + 501_000_000 - dated).isBetween(0L, 52_000_000L);
  }

  private static long date(ServerClock clock, long serverMicros, long now) {
    return Objects.requireNonNull(clock.notLaterThan(serverMicros, now));
  }

  private static long server(long trueNanos, long offsetMicros, double drift) {
    return offsetMicros + (long) Math.floor(trueNanos * (1 + drift) / 1000);
  }

  private static long below(Random random, long bound) {
    // as often microseconds as minutes
    return (long) (bound * Math.pow(random.nextDouble(), 4));
  }
}
