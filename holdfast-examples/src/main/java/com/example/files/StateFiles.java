package com.example.files;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Function;

/**
 * One file per key: its last tick in the first line, its state in the second. A step holds a lock
 * of the operating system on the file, which a process that dies gives back; threads of this
 * process take their turns at a monitor, since file locks do not keep them apart. Whoever writes a
 * file without that lock may find it overwritten by a step that had read it before.
 */
final class StateFiles {
  private static final Object TURN = new Object();

  private final Path folder;

  StateFiles(Path folder) {
    this.folder = folder;
  }

  /** Reads the state of a key, changes it, and writes it, in one step. */
  <T> T change(Resource resource, Function<ResourceState, T> step) {
    synchronized (TURN) {
      try (RandomAccessFile file = new RandomAccessFile(path(resource.key()).toFile(), "rw");
          FileLock held = file.getChannel().lock()) {
        assert held.isValid();
        byte[] bytes = new byte[(int) file.length()];
        file.readFully(bytes);
        String[] lines = new String(bytes, StandardCharsets.US_ASCII).split("\n", -1);
        boolean fresh = lines.length < 2;
        ResourceState state =
            ResourceState.parse(fresh ? "" : lines[1], fresh ? 0 : tick(lines[0]));
        T result = step.apply(state);
        byte[] changed =
            (state.lastTick() + "\n" + state.text() + "\n").getBytes(StandardCharsets.US_ASCII);
        file.seek(0);
        file.write(changed);
        file.setLength(changed.length);
        return result;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static long tick(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BackendException("the file of this key does not begin with its last tick", e);
    }
  }

  /** Keys may be longer, and stranger, than names of files. */
  Path path(String key) {
    UUID name = UUID.nameUUIDFromBytes(key.getBytes(StandardCharsets.UTF_8));
    return folder.resolve(name + ".lock");
  }
}
