package io.holdfast.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Halts processes and lets them go on, with the {@code kill} that every shell has built in. */
public final class ProcessSignals {
  private ProcessSignals() {}

  /** SIGSTOP, in the given order. */
  public static void stop(Collection<Long> ids) {
    send("STOP", ids);
  }

  /** SIGCONT. */
  public static void resume(Collection<Long> ids) {
    send("CONT", ids);
  }

  private static void send(String signal, Collection<Long> ids) {
    String alive =
        ids.stream()
            .filter(id -> ProcessHandle.of(id).isPresent())
            .map(String::valueOf)
            .collect(Collectors.joining(" "));
    if (alive.isEmpty()) {
      throw new IllegalArgumentException("no process to send SIG" + signal);
    }
    String line = "kill -" + signal + " " + alive;
    try {
      int code = new ProcessBuilder(List.of("/bin/sh", "-c", line)).inheritIO().start().waitFor();
      if (code != 0) {
        throw new IllegalStateException(line + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + line, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
