package io.holdfast.bench.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that the processes of a measurement share: numbers in a mapped file. What is counted in it
 * without any care for others, under a lock, comes out right only if the lock excludes.
 */
public final class SharedPage {
  private static final int BYTES = 4096;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;

  /** Maps the file, and makes it first if it is not there. */
  public SharedPage(Path file) {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      this.memory = channel.map(MapMode.READ_WRITE, 0, BYTES).order(ByteOrder.nativeOrder());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot map " + file, e);
    }
  }

  /** Reads a number that others may be writing. */
  public long get(int index) {
    return (long) LONGS.getVolatile(memory, index * Long.BYTES);
  }

  /** Writes a number for others to see. */
  public void set(int index, long value) {
    LONGS.setVolatile(memory, index * Long.BYTES, value);
  }

  /**
   * Adds one, in two steps: whoever does this at the same time as another spoils the count.
   *
   * @return what it was before
   */
  public long incrementCarelessly(int index) {
    long before = memory.getLong(index * Long.BYTES);
    memory.putLong(index * Long.BYTES, before + 1);
    return before;
  }

  /** Adds one, in one step; what it was before. */
  public long increment(int index) {
    return (long) LONGS.getAndAdd(memory, index * Long.BYTES, 1L);
  }
}
