package io.holdfast.testkit;

import io.holdfast.testkit.internal.Leftovers;
import io.holdfast.testkit.internal.Signals;
import io.holdfast.testkit.internal.Threads;
import io.holdfast.testkit.internal.Transcript;
import io.holdfast.testkit.internal.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM with the class path of this one, which talks in lines and can be killed and paused:
 * threads cannot simulate a crash.
 *
 * <pre>{@code
 * try (ChildJvm holder = ChildJvm.start(Holder.class, redis.url())) {
 *   holder.awaitLine("LOCKED", Duration.ofSeconds(30));
 *   holder.kill(); // SIGKILL
 *   ... // the lock comes free when its lease is over
 * }
 * }</pre>
 *
 * <p>In the child, {@link ParentProcess} is the other end of the line. Whatever goes wrong is an
 * {@link AssertionError} that carries the last output of the child. Safe for use by several
 * threads.
 */
public final class ChildJvm implements AutoCloseable {
  /** Exit code of a child that ended because its parent was gone. */
  public static final int PARENT_GONE = 113;

  private static final Duration DEATH = Duration.ofMinutes(1);
  private static final Duration OUTPUT_END = Duration.ofSeconds(2);

  private final String name;
  private final Process process;
  private final Writer input;
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
  private final Transcript output = new Transcript();
  private final Transcript errors = new Transcript();
  private final Thread errorReader;

  private ChildJvm(String name, Process process) {
    this.name = name;
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    this.errorReader =
        Threads.daemon("child-stderr", () -> forEachLine(process.errorReader(), errors::add));
    Threads.daemon("child-stdout", this::readOutput);
  }

  /** Starts a JVM that runs the given main class. */
  public static ChildJvm start(Class<?> mainClass, String... arguments) {
    return builder(mainClass).args(arguments).start();
  }

  /** A JVM to be configured and started. */
  public static Builder builder(Class<?> mainClass) {
    return new Builder(mainClass);
  }

  /**
   * For a child that reads no input: makes it end when its parent is gone. One that does read input
   * uses {@link ParentProcess}, which does the same.
   */
  public static void exitWhenParentDies() {
    ParentProcess.connect();
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** True while the process lives, paused or not. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** The next line of the child's standard output. */
  public String readLine(Duration limit) {
    return awaitLine(line -> true, "a line", limit);
  }

  /** The next line that starts with the prefix; lines before it are skipped. */
  public String awaitLine(String prefix, Duration limit) {
    return awaitLine(line -> line.startsWith(prefix), "a line starting with " + prefix, limit);
  }

  /** The next line that satisfies the condition; lines before it are skipped. */
  public String awaitLine(Predicate<String> condition, Duration limit) {
    return awaitLine(condition, "a line that satisfies the condition", limit);
  }

  /** Sends a line to the child's standard input. */
  public synchronized void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw failure("cannot send \"" + line + "\"", e);
    }
  }

  /** Ends the child's standard input, which is what it sees when its parent dies. */
  public synchronized void closeInput() {
    try {
      input.close();
    } catch (IOException e) {
      throw failure("cannot close the input", e);
    }
  }

  /** Kills the child with SIGKILL, and returns when it is dead. */
  public void kill() {
    process.destroyForcibly();
    waitFor(DEATH);
  }

  /** Asks the child to end with SIGTERM: its shutdown hooks run. */
  public void terminate() {
    process.toHandle().destroy(); // that of Process closes the streams as well
  }

  /** Halts the child with SIGSTOP: when this returns, it executes nothing more. */
  public void pause() {
    Signals.stop(process);
  }

  /** Lets a paused child go on (SIGCONT). */
  public void resume() {
    Signals.resume(process);
  }

  /** Waits until the child has ended, and returns its exit code. */
  public int waitFor(Duration limit) {
    if (!Waiting.forExit(process, limit)) {
      throw failure("still running after " + limit, null);
    }
    return process.exitValue();
  }

  /** The exit code, if the child has ended; 128 + n if signal n killed it. */
  public OptionalInt exitCode() {
    return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  /** The end of what the child wrote to its standard error. */
  public String stderr() {
    return errors.toString();
  }

  /** Kills the child if it still lives. */
  @Override
  public void close() {
    kill();
  }

  private String awaitLine(Predicate<String> condition, String wanted, Duration limit) {
    long start = System.nanoTime();
    try {
      while (true) {
        long left = limit.toNanos() - (System.nanoTime() - start);
        Optional<String> line = lines.poll(Math.max(left, 0), TimeUnit.NANOSECONDS);
        if (line == null) {
          throw failure("no output in " + limit + ": expected " + wanted, null);
        }
        if (line.isEmpty()) {
          lines.add(line); // the end stays the end
          Waiting.forExit(process, OUTPUT_END);
          throw failure("end of output: expected " + wanted, null);
        }
        if (condition.test(line.get())) {
          return line.get();
        }
      }
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    }
  }

  private void readOutput() {
    forEachLine(
        process.inputReader(StandardCharsets.UTF_8),
        line -> {
          output.add(line);
          lines.add(Optional.of(line));
        });
    lines.add(Optional.empty());
  }

  private static void forEachLine(BufferedReader reader, Consumer<String> action) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        action.accept(line);
      }
    } catch (IOException e) {
      // The JVM closes the streams of a process that ended; what was read is all there is.
    }
  }

  private AssertionError failure(String problem, @Nullable Throwable cause) {
    String state = "running";
    if (!process.isAlive()) {
      state = "ended with exit code " + process.exitValue();
      try {
        errorReader.join(OUTPUT_END.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return new AssertionError(
        "%s (pid %d, %s): %s%n--- its output:%n%s%n--- its errors:%n%s"
            .formatted(name, process.pid(), state, problem, output, errors),
        cause);
  }

  /** How a child is to be started. */
  public static final class Builder {
    private final Class<?> mainClass;
    private final List<String> jvmArguments = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();

    private Builder(Class<?> mainClass) {
      this.mainClass = mainClass;
    }

    /** Adds arguments for the main class. */
    public Builder args(String... arguments) {
      this.arguments.addAll(List.of(arguments));
      return this;
    }

    /** Adds arguments for the JVM, for instance {@code -Xmx256m} or {@code -Dname=value}. */
    public Builder jvmArgs(String... arguments) {
      jvmArguments.addAll(List.of(arguments));
      return this;
    }

    /** Sets an environment variable. */
    public Builder env(String variable, String value) {
      environment.put(variable, value);
      return this;
    }

    /** Starts the child. */
    public ChildJvm start() {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      // Made for a short life beside many others on few cores.
      command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
      command.addAll(List.of("-Dstdout.encoding=UTF-8", "-Dfile.encoding=UTF-8"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(jvmArguments);
      command.add(mainClass.getName());
      command.addAll(arguments);
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      try {
        return new ChildJvm(mainClass.getSimpleName(), Leftovers.start(builder));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start a JVM for " + mainClass.getName(), e);
      }
    }
  }
}
