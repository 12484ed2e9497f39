package io.holdfast.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ports that the JVMs of this machine's user have claimed for servers, so that two builds or two
 * modules that run at the same time do not give one port to two servers. A claim is a lock on one
 * byte of a file that all of them share; the system releases it when the JVM ends, however it ends.
 */
final class PortClaims {
  private static final Map<Integer, FileLock> CLAIMS = new HashMap<>();
  private static final @Nullable FileChannel FILE = open();

  private PortClaims() {}

  /** False if another JVM has claimed the port. True where claims cannot be kept. */
  static synchronized boolean claim(int port) {
    if (FILE == null || CLAIMS.containsKey(port)) {
      return true;
    }
    try {
      FileLock lock = FILE.tryLock(port, 1, false);
      if (lock != null) {
        CLAIMS.put(port, lock);
      }
      return lock != null;
    } catch (IOException e) {
      return true;
    }
  }

  static synchronized void release(int port) {
    FileLock lock = CLAIMS.remove(port);
    if (lock != null) {
      try {
        lock.release();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot release the claim on port " + port, e);
      }
    }
  }

  /** Not in {@code java.io.tmpdir}, which a module may set for its tests. */
  private static @Nullable FileChannel open() {
    String named = System.getenv("TMPDIR");
    Path folder = Path.of(named != null ? named : "/tmp");
    if (!Files.isDirectory(folder)) {
      folder = Path.of(System.getProperty("java.io.tmpdir"));
    }
    Path file = folder.resolve("holdfast-ports-" + System.getProperty("user.name"));
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      return null;
    }
  }
}
