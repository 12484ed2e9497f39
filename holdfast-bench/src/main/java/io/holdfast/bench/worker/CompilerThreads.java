package io.holdfast.bench.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time of the threads of this JVM that compile, from {@code /proc}. They must be alive from
 * beginning to end ({@code -XX:-UseDynamicNumberOfCompilerThreads}).
 */
final class CompilerThreads {
  private static final Path TASKS = Path.of("/proc/self/task");

  private CompilerThreads() {}

  /** So far; zero where there is no {@code /proc}. */
  static long cpuNanos() {
    if (!Files.isDirectory(TASKS)) {
      return 0;
    }
    long sum = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
      for (Path thread : threads) {
        sum += compiles(thread) ? cpuNanos(thread) : 0;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sum;
  }

  private static boolean compiles(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).matches("C[12] CompilerThre\\s*");
    } catch (IOException e) {
      return false; // another thread that has just ended
    }
  }

  private static long cpuNanos(Path thread) throws IOException {
    String[] fields = Files.readString(thread.resolve("schedstat")).split(" ", -1);
    return Long.parseLong(fields[0]);
  }
}
