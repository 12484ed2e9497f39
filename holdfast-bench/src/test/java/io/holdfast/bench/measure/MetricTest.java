package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"2|2", "2.004|2.00", "0.0012|0.0012", "15.26|15.3", "153.6|154", "12345.6|12,346"})
  void numbersHaveAsManyDigitsAsSaySomething(double value, String text) {
    assertThat(Metric.format(value)).isEqualTo(text);
  }
}
