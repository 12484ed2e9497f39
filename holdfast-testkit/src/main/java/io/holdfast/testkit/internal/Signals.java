package io.holdfast.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stops and continues a process by its id. The JDK can only terminate processes, so the signal is
 * sent with the {@code kill} that every POSIX shell has built in. A signal is delivered some time
 * after {@code kill} returned; where {@code /proc} tells, {@link #stop} therefore waits until each
 * thread of the process stands still, so that a test may rely on it.
 */
public final class Signals {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final boolean HAS_PROC = Files.isDirectory(Path.of("/proc/self/task"));

  private Signals() {}

  /** SIGSTOP: on return the process executes nothing more until {@link #resume}. */
  public static void stop(Process process) {
    send("STOP", process);
    if (HAS_PROC && !Waiting.until(() -> isStopped(process), PATIENCE)) {
      throw new IllegalStateException("process " + process.pid() + " did not stop on SIGSTOP");
    }
  }

  /** SIGCONT. Does nothing to a process that is not stopped. */
  public static void resume(Process process) {
    send("CONT", process);
  }

  /** To several at once, as far as they still live. */
  public static void sendAll(String signal, List<ProcessHandle> targets) {
    String pids =
        targets.stream()
            .filter(ProcessHandle::isAlive)
            .map(target -> Long.toString(target.pid()))
            .collect(Collectors.joining(" "));
    if (!pids.isEmpty()) {
      kill(signal, pids + " || true"); // one may have ended meanwhile
    }
  }

  private static void send(String signal, Process target) {
    long pid = target.pid();
    if (!target.isAlive()) {
      throw new IllegalStateException("no SIG" + signal + " to process " + pid + ": it has ended");
    }
    kill(signal, Long.toString(pid));
  }

  private static void kill(String signal, String pids) {
    try {
      Process kill =
          new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pids)
              .redirectErrorStream(true)
              .start();
      String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!Waiting.forExit(kill, PATIENCE) || kill.exitValue() != 0) {
        throw new IllegalStateException(
            "kill -" + signal + " " + pids + " failed: " + output.strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run kill -" + signal + " " + pids, e);
    }
  }

  private static boolean isStopped(Process process) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      List<Path> all = threads.toList();
      return !all.isEmpty() && all.stream().allMatch(Signals::isStopped);
    } catch (IOException e) {
      return !process.isAlive();
    }
  }

  /** The state is the letter after the thread's name, which stands in parentheses. */
  private static boolean isStopped(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
      char state = stat.charAt(stat.lastIndexOf(')') + 2);
      return state == 'T' || state == 't' || state == 'Z' || state == 'X';
    } catch (IOException e) {
      return true; // the thread ended meanwhile
    }
  }
}
