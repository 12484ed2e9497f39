package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import io.holdfast.testkit.internal.Signals;
import io.holdfast.testkit.internal.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Any server that is a process, by its command line: started, killed with all its children, paused,
 * and started again. Whether it keeps its data is its own affair.
 *
 * <pre>{@code
 * ServerProcess server = ServerProcess.of("h2", command, directory, Map.of());
 * server.start(() -> answers(port));
 * server.kill();                       // SIGKILL
 * server.start(() -> answers(port));
 * }</pre>
 *
 * <p>It ends with this JVM at the latest. Safe for use by several threads.
 */
public final class ServerProcess implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(3);
  private static final Duration DEATH = Duration.ofMinutes(1);
  private static final int TOLD_LINES = 20;

  private final String name;
  private final List<String> command;
  private final Path directory;
  private final Map<String, String> environment;
  private @Nullable Process process;
  private List<ProcessHandle> paused = List.of();

  private ServerProcess(
      String name, List<String> command, Path directory, Map<String, String> environment) {
    this.name = name;
    this.command = List.copyOf(command);
    this.directory = directory;
    this.environment = Map.copyOf(environment);
  }

  /** A server, not yet started. What it says goes to a file in its directory. */
  public static ServerProcess of(
      String name, List<String> command, Path directory, Map<String, String> environment) {
    return new ServerProcess(name, command, directory, environment);
  }

  /**
   * A server like one that runs: the same command in the same directory. For servers whose first
   * start is a library's work. The running one is left alone. Needs {@code /proc}.
   *
   * @param prefix what to put before the command, such as {@code unshare -U}
   */
  public static ServerProcess like(
      String name,
      ProcessHandle running,
      List<String> prefix,
      Path logs,
      Map<String, String> environment) {
    try {
      Path proc = Path.of("/proc/" + running.pid());
      String line = Files.readString(proc.resolve("cmdline"), StandardCharsets.UTF_8);
      List<String> command = new ArrayList<>(Arrays.asList(line.split("\0", -1)));
      command.remove(command.size() - 1); // the text ends with a zero
      Path executable = Files.readSymbolicLink(proc.resolve("exe"));
      command.set(0, executable.toString());
      Path directory = Files.readSymbolicLink(proc.resolve("cwd"));
      List<String> there = new ArrayList<>(List.of("/bin/sh", "-c"));
      there.add("cd \"$0\" && exec \"$@\"");
      there.add(directory.toString());
      there.addAll(prefix);
      there.addAll(command);
      return new ServerProcess(name, there, logs, environment);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot see how " + name + " was started", e);
    }
  }

  /** A new directory for a server, removed with this JVM at the latest. */
  public static Path newDirectory(String purpose) {
    try {
      return Leftovers.newDirectory(purpose);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory", e);
    }
  }

  /** A port of 127.0.0.1 that is free now, outside the range of outgoing connections. */
  public static int freePort() {
    try {
      return LoopbackPorts.free();
    } catch (IOException e) {
      throw new UncheckedIOException("no free port", e);
    }
  }

  /** Starts it and waits until it is ready. */
  public synchronized void start(BooleanSupplier ready) {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException(name + " runs already");
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    builder.environment().putAll(environment);
    try {
      Process started = Leftovers.start(builder);
      process = started;
      paused = List.of();
      boolean settled = Waiting.until(() -> !started.isAlive() || ready.getAsBoolean(), STARTUP);
      if (!settled || !started.isAlive()) {
        throw new IllegalStateException(name + " does not start:\n" + endOfLog());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  /** Kills it and its children with SIGKILL. Does nothing if it is down. */
  public synchronized void kill() {
    Process running = process;
    if (running == null) {
      return;
    }
    List<ProcessHandle> children = running.descendants().toList();
    running.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    if (!Waiting.forExit(running, DEATH)
        || !Waiting.until(() -> children.stream().noneMatch(ProcessHandle::isAlive), DEATH)) {
      throw new IllegalStateException(name + " survived SIGKILL");
    }
    process = null;
    paused = List.of();
  }

  /** Halts it and its children with SIGSTOP: connections stay open, and nothing is answered. */
  public synchronized void pause() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(name + " is down");
    }
    List<ProcessHandle> all = new ArrayList<>();
    all.add(running.toHandle());
    all.addAll(running.descendants().toList());
    Signals.sendAll("STOP", all);
    paused = all;
  }

  /** Lets a paused server go on (SIGCONT). */
  public synchronized void resume() {
    Signals.sendAll("CONT", paused);
    paused = List.of();
  }

  /** True while it lives, paused or not. */
  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** What it has said. */
  public String log() {
    try {
      return Files.exists(logFile())
          ? Files.readString(logFile(), StandardCharsets.ISO_8859_1)
          : "";
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read what " + name + " said", e);
    }
  }

  private String endOfLog() {
    List<String> lines = log().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TOLD_LINES), lines.size()));
  }

  /** Kills it, and removes its directory if that was made by {@link #newDirectory}. */
  @Override
  public void close() {
    kill();
    Leftovers.remove(directory);
  }

  private Path logFile() {
    return directory.resolve(name + ".log");
  }
}
