package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StealMeterTest {
  @TempDir private Path directory;

  @Test
  void stolenTimeIsAShareOfAllTimeSinceTheStart() throws IOException {
    Path stat = write("cpu  100 0 100 800 0 0 0 50 7 7\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    StealMeter meter = StealMeter.start(stat);
    write("cpu  150 0 120 825 0 0 0 55 9 9\n"); // 95 worked and idled, 5 stolen
    assertThat(meter.share()).isCloseTo(0.05, within(1e-9));
  }

  @Test
  void nothingIsStolenWhereNothingIsTold() throws IOException {
    StealMeter meter = StealMeter.start(directory.resolve("missing"));
    assertThat(meter.share()).isZero();
    StealMeter old = StealMeter.start(write("cpu 1 2 3 4\n"));
    write("cpu 2 3 4 5\n");
    assertThat(old.share()).isZero();
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("stat"), text);
  }
}
