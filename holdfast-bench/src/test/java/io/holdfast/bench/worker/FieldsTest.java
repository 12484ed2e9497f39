package io.holdfast.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class FieldsTest {
  @Test
  void whatIsWrittenIsReadBack() {
    String line = new Fields().with("text", "a = b\n100 %").with("number", 7).toString();
    assertThat(line).doesNotContain("\n");
    Fields read = Fields.parse("task " + line);
    assertThat(read.text("text")).isEqualTo("a = b\n100 %");
    assertThat(read.number("number")).isEqualTo(7);
    assertThatThrownBy(() -> read.text("other")).hasMessageContaining("other");
  }

  @Test
  void histogramsAreTextToo() {
    Histogram histogram = Histograms.empty();
    Histograms.record(histogram, 1_000);
    Histograms.record(histogram, Long.MAX_VALUE); // cut, not refused
    Histogram read = Histograms.decode(Histograms.encode(histogram));
    assertThat(read).isEqualTo(histogram);
    assertThat(read.getTotalCount()).isEqualTo(2);
  }
}
