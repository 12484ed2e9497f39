package io.holdfast.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Everything this JVM must not leave behind: processes it started and directories it made. A
 * shutdown hook ends the first and removes the second; the {@link Reaper} does the same when the
 * JVM dies without running its hooks.
 */
public final class Leftovers {
  private static final Set<Process> PROCESSES = ConcurrentHashMap.newKeySet();
  private static final Set<ProcessHandle> ADOPTED = ConcurrentHashMap.newKeySet();
  private static final Set<Path> DIRECTORIES = ConcurrentHashMap.newKeySet();
  private static final Reaper REAPER = new Reaper();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Leftovers::clear, "holdfast-testkit-cleanup"));
  }

  private Leftovers() {}

  /** Starts a process that ends with this JVM at the latest. */
  public static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    PROCESSES.add(process);
    REAPER.watch(process);
    process.onExit().thenAccept(PROCESSES::remove);
    return process;
  }

  /** A process that a library started: it ends with this JVM at the latest. */
  public static void adopt(ProcessHandle process) {
    ADOPTED.add(process);
    try {
      REAPER.watch(process);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot watch process " + process.pid(), e);
    }
    process.onExit().thenAccept(ADOPTED::remove);
  }

  /** Makes a directory that is removed with this JVM at the latest. */
  public static Path newDirectory(String purpose) throws IOException {
    Path directory = Files.createTempDirectory("holdfast-" + purpose + "-");
    DIRECTORIES.add(directory);
    REAPER.watch(directory);
    return directory;
  }

  public static void remove(Path directory) {
    if (DIRECTORIES.remove(directory)) {
      deleteTree(directory);
    }
  }

  private static void clear() {
    List<Process> processes = List.copyOf(PROCESSES);
    processes.forEach(Process::destroyForcibly);
    processes.forEach(process -> process.onExit().join());
    List<ProcessHandle> adopted = List.copyOf(ADOPTED);
    adopted.forEach(ProcessHandle::destroyForcibly);
    adopted.forEach(process -> process.onExit().join());
    DIRECTORIES.forEach(Leftovers::deleteTree);
  }

  private static void deleteTree(Path directory) {
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      System.err.println("holdfast-testkit: cannot remove " + directory + ": " + e);
    }
  }
}
