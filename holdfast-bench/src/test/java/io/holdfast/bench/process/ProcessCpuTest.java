package io.holdfast.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessCpuTest {
  @Test
  void theNameMayHoldSpacesAndBrackets() {
    String stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 3000 400 20 0";
    assertThat(ProcessCpu.parse(stat, false)).isEqualTo(120);
    assertThat(ProcessCpu.parse(stat, true)).isEqualTo(3520);
  }

  @Test
  void aProcessThatIsGoneUsesNothing() {
    assertThat(ProcessCpu.nanos(Integer.MAX_VALUE)).isZero();
  }
}
