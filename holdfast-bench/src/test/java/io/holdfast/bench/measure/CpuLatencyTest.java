package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuLatencyTest {
  @TempDir private Path directory;

  @Test
  void aZeroIsWrittenToADeviceThatMayBeWritten() throws IOException {
    Path device = Files.createFile(directory.resolve("device"));
    try (CpuLatency latency = CpuLatency.hold(device)) {
      assertThat(latency.held()).isTrue();
      assertThat(Files.readAllBytes(device)).containsExactly(0, 0, 0, 0);
    }
  }

  @Test
  void withoutADeviceItIsNotHeld() {
    try (CpuLatency latency = CpuLatency.hold(directory.resolve("missing"))) {
      assertThat(latency.held()).isFalse();
    }
  }
}
