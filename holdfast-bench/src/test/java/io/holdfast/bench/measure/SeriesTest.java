package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SeriesTest {
  private final Series series = new Series();

  @Test
  void medianOfAnOddNumberIsTheMiddleOne() {
    add(30, 10, 20);
    assertThat(series.median(Metric.OPERATIONS)).hasValue(20);
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheMiddleOnes() {
    add(10, 40, 20, 30);
    assertThat(series.median(Metric.OPERATIONS)).hasValue(25);
  }

  @Test
  void spreadIsHalfOfTheRangeAsShareOfTheMedian() {
    add(80, 100, 120);
    assertThat(series.spread(Metric.OPERATIONS).orElseThrow()).isCloseTo(0.2, within(1e-9));
  }

  @Test
  void oneRoundHasNoSpread() {
    add(80);
    assertThat(series.spread(Metric.OPERATIONS)).isEmpty();
  }

  @Test
  void aRatioIsTakenRoundByRound() {
    add(50, 300, 80); // the machine was six times as fast in the second round
    Series other = new Series();
    for (double value : new double[] {100, 600, 100}) {
      other.add(new Sample().with(Metric.OPERATIONS, value));
    }
    assertThat(series.ratio(other, Metric.OPERATIONS)).hasValue(new Ratio(0.5, 0.5, 0.8));
  }

  @Test
  void aRoundThatFailedForOneOfTwoHasNoRatio() {
    add(50, 60);
    Series other = new Series();
    other.add(Sample.failed("stalled"));
    assertThat(series.ratio(other, Metric.OPERATIONS)).isEmpty();
    other.add(new Sample().with(Metric.OPERATIONS, 120));
    assertThat(series.ratio(other, Metric.OPERATIONS)).hasValue(new Ratio(0.5, 0.5, 0.5));
  }

  @Test
  void failedRoundsAreLeftOutAndTold() {
    add(10);
    series.add(Sample.failed("stalled"));
    assertThat(series.median(Metric.OPERATIONS)).hasValue(10);
    assertThat(series.failures()).hasValue("1 of 2 rounds failed: stalled");
  }

  @Test
  void whatWasNotMeasuredHasNoMedian() {
    series.add(new Sample().with(Metric.OPERATIONS, Double.NaN));
    assertThat(series.median(Metric.OPERATIONS)).isEmpty();
    assertThat(series.median(Metric.BYTES)).isEmpty();
  }

  private void add(double... values) {
    for (double value : values) {
      series.add(new Sample().with(Metric.OPERATIONS, value));
    }
  }
}
