package io.holdfast.bench.measure;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Keeps idle CPUs from halting, for as long as it is open. In a virtual machine waking a halted CPU
 * costs more than the work that is measured, so that without this all libraries look alike. Linux
 * does it for whoever holds {@code /dev/cpu_dma_latency} open with a zero written to it; that needs
 * permission, and the report says whether it was there.
 */
public final class CpuLatency implements AutoCloseable {
  private static final Path DEVICE = Path.of("/dev/cpu_dma_latency");

  private final @Nullable FileOutputStream device;

  private CpuLatency(@Nullable FileOutputStream device) {
    this.device = device;
  }

  /** Asks for it. */
  public static CpuLatency hold() {
    return hold(DEVICE);
  }

  static CpuLatency hold(Path path) {
    if (!Files.isWritable(path)) {
      return new CpuLatency(null);
    }
    try {
      FileOutputStream device = new FileOutputStream(path.toFile());
      device.write(new byte[4]); // the int 0: microseconds that waking up may take
      return new CpuLatency(device);
    } catch (IOException e) {
      return new CpuLatency(null);
    }
  }

  /** True if it is in force. */
  public boolean held() {
    return device != null;
  }

  @Override
  public void close() {
    try {
      if (device != null) {
        device.close();
      }
    } catch (IOException e) {
      // it is given up in any case when the process ends
    }
  }
}
