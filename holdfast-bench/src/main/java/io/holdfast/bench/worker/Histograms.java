package io.holdfast.bench.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of times in nanoseconds, up to five minutes, with three digits. */
public final class Histograms {
  private static final long LONGEST = TimeUnit.MINUTES.toNanos(5);

  private Histograms() {}

  /** An empty one. */
  public static Histogram empty() {
    return new Histogram(LONGEST, 3);
  }

  /** Adds a time, cut to what fits. */
  static void record(Histogram histogram, long nanos) {
    histogram.recordValue(Math.min(Math.max(nanos, 0), LONGEST));
  }

  /** As text. */
  static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /** From text. */
  public static Histogram decode(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), LONGEST);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a histogram", e);
    }
  }
}
