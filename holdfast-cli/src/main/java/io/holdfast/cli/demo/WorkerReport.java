package io.holdfast.cli.demo;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collection;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What a worker has measured in a round, in a form that travels as one word.
 *
 * @param waits how long it waited for each lock it got, in nanoseconds
 */
record WorkerReport(Histogram waits) {
  static Histogram newHistogram() {
    return new Histogram(3);
  }

  static WorkerReport sum(Collection<WorkerReport> reports) {
    Histogram all = newHistogram();
    reports.forEach(report -> all.add(report.waits()));
    return new WorkerReport(all);
  }

  String encoded() {
    ByteBuffer buffer = ByteBuffer.allocate(waits.getNeededByteBufferCapacity());
    int length = waits.encodeIntoCompressedByteBuffer(buffer);
    buffer.flip();
    byte[] bytes = new byte[length];
    buffer.get(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  static WorkerReport decode(String text) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return new WorkerReport(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not the report of a worker: " + text, e);
    }
  }

  /** How often the lock was taken. */
  long locks() {
    return waits.getTotalCount();
  }
}
