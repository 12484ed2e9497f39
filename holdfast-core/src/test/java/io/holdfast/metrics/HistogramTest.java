package io.holdfast.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Percentiles against those of the sorted values themselves. */
@Timeout(600)
class HistogramTest {
  private static final double MOST_ERROR = 1.0 / 128;
  private static final double[] SHARES = {0, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1};

  private final SplittableRandom random = new SplittableRandom(42);

  @Test
  void areRightForValuesOfAllMagnitudes() {
    compare(i -> random.nextLong() >>> (1 + random.nextInt(63)));
  }

  @Test
  void areRightForExponentialTimes() {
    compare(i -> (long) (-Math.log(1 - random.nextDouble()) * 2_000_000));
  }

  @Test
  void areRightForTwoPeaksFarApart() {
    compare(i -> random.nextInt(10) == 0 ? 30_000_000_000L + random.nextInt(1000) : 300);
  }

  @Test
  void areExactForSmallValues() {
    Histogram histogram = new Histogram();
    LongStream.range(0, 128).forEach(histogram::record);

    assertThat(histogram.counts().percentile(0.5)).isEqualTo(Duration.ofNanos(63));
    assertThat(histogram.counts().percentile(1)).isEqualTo(Duration.ofNanos(127));
  }

  @Test
  void takeEveryValueThereIs() {
    long[] edges =
        LongStream.range(0, 63).flatMap(b -> LongStream.of((1L << b) - 1, 1L << b)).toArray();
    for (long edge :
        LongStream.concat(LongStream.of(edges), LongStream.of(Long.MAX_VALUE)).toArray()) {
      Histogram histogram = new Histogram();
      histogram.record(edge);
      near(histogram.counts().percentile(0.5).toNanos(), edge, 0.5);
      assertThat(histogram.counts().max()).isEqualTo(Duration.ofNanos(edge));
    }
  }

  @Test
  void takeWhatIsNoTimeAtAll() {
    Histogram histogram = new Histogram();
    histogram.record(Duration.ofSeconds(-1));
    histogram.record(Duration.ofSeconds(Long.MIN_VALUE));
    assertThat(histogram.counts().max()).isZero();
    histogram.record(Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(histogram.counts().max()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    assertThat(histogram.counts().count()).isEqualTo(3);
  }

  @Test
  void areZeroWhenThereIsNothing() {
    Histogram.Counts nothing = new Histogram().counts();

    assertThat(nothing.count()).isZero();
    assertThat(nothing.mean()).isZero();
    assertThat(nothing.percentile(0.99)).isZero();
    assertThat(nothing.max()).isZero();
  }

  @Test
  void loseNothingWhenManyThreadsCount() throws InterruptedException {
    Histogram histogram = new Histogram();
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      int step = t + 1;
      threads[t] =
          new Thread(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  histogram.record((long) i * step);
                }
              });
      threads[t].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(histogram.counts().count()).isEqualTo(400_000);
    assertThat(histogram.counts().max()).isEqualTo(Duration.ofNanos(4L * 99_999));
  }

  private static void compare(LongUnaryOperator next) {
    Histogram histogram = new Histogram();
    long[] values = LongStream.range(0, 50_000).map(next).peek(histogram::record).toArray();
    Arrays.sort(values);
    Histogram.Counts counts = histogram.counts();

    assertThat(counts.count()).isEqualTo(values.length);
    assertThat(counts.max().toNanos()).isEqualTo(values[values.length - 1]);
    for (double share : SHARES) {
      int rank = (int) Math.max(1, Math.ceil(share * values.length));
      near(counts.percentile(share).toNanos(), values[rank - 1], share);
    }
  }

  private static void near(long found, long exact, double share) {
    assertThat(Math.abs((double) found - exact))
        .as("percentile %s is %d, found %d", share, exact, found)
        .isLessThanOrEqualTo(exact * MOST_ERROR);
  }
}
