package io.holdfast.bench.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child process that talks in lines. Unlike the testkit's {@code ChildJvm} it adds no options of
 * its own to the JVM, since these would be measured too. The child watches its input with the
 * testkit's {@code ParentProcess}, and so never outlives this JVM.
 */
public final class LineProcess implements AutoCloseable {
  private static final int REMEMBERED = 40;

  private final String name;
  private final Process process;
  private final Writer input;
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
  private final Deque<String> lastErrors = new ArrayDeque<>();

  private LineProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    reader("stdout", process.inputReader(StandardCharsets.UTF_8), l -> lines.add(Optional.of(l)));
    reader("stderr", process.errorReader(StandardCharsets.UTF_8), this::remember);
  }

  /** Starts it. */
  public static LineProcess start(String name, List<String> command) {
    return start(name, command, Map.of());
  }

  /** Starts it with more variables in its environment. */
  public static LineProcess start(
      String name, List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    try {
      return new LineProcess(name, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  /** The process id. */
  public long pid() {
    return process.pid();
  }

  /** Sends a line. */
  public void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw new WorkerFailedException(name + " is gone: " + errors(), e);
    }
  }

  /** The next line that starts with one of the prefixes; others are skipped. */
  public String await(Duration limit, String... prefixes) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      Optional<String> line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new WorkerFailedException(name + " did not answer in " + limit.toSeconds() + " s");
      }
      if (line.isEmpty()) {
        process.waitFor(1, TimeUnit.SECONDS);
        throw new WorkerFailedException(name + " ended: " + errors());
      }
      for (String prefix : prefixes) {
        if (line.get().startsWith(prefix)) {
          return line.get();
        }
      }
    }
  }

  /** Waits until it has ended by itself. */
  public void awaitEnd(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new WorkerFailedException(name + " did not end in " + limit.toSeconds() + " s");
    }
  }

  /** Ends it at once. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  private void reader(String stream, BufferedReader reader, Consumer<String> action) {
    Thread thread =
        new Thread(
            () -> {
              try (reader) {
                for (String l = reader.readLine(); l != null; l = reader.readLine()) {
                  action.accept(l);
                }
              } catch (IOException e) {
                // the process is gone
              }
              if (stream.equals("stdout")) {
                lines.add(Optional.empty());
              }
            },
            name + " " + stream);
    thread.setDaemon(true);
    thread.start();
  }

  private void remember(String line) {
    synchronized (lastErrors) {
      lastErrors.add(line);
      if (lastErrors.size() > REMEMBERED) {
        lastErrors.remove();
      }
    }
  }

  private String errors() {
    synchronized (lastErrors) {
      return String.join("\n", lastErrors);
    }
  }
}
