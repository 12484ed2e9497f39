package io.holdfast.bench.fault;

import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.process.ProcessSignals;
import io.holdfast.bench.process.WorkerFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A process that takes locks, as its parent sees it: what happened there so far. */
final class Contender implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(3);

  private final LineProcess process;
  private final List<Happening> happenings = new ArrayList<>();
  private boolean ended;
  private String why = "";

  private Contender(LineProcess process) {
    this.process = process;
    Thread reader = new Thread(this::read, "contender " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  static Contender start(
      String url, Duration lease, String classPath, Map<String, String> environment) {
    List<String> command =
        new JavaCommand(ContenderMain.class, classPath)
            .options("-Xmx256m", "-XX:+UseSerialGC")
            .with(url, Long.toString(lease.toMillis()));
    return new Contender(LineProcess.start("contender", command, environment));
  }

  /** Waits until it is connected. */
  void awaitReady() throws InterruptedException {
    if (await(Happening.Kind.READY, STARTUP).isEmpty()) {
      throw new WorkerFailedException("a process could not connect" + why);
    }
  }

  private void read() {
    try {
      while (true) {
        String line = process.await(Duration.ofDays(1), "kind=");
        synchronized (this) {
          happenings.add(Happening.parse(line));
          notifyAll();
        }
      }
    } catch (WorkerFailedException e) {
      synchronized (this) {
        ended = true;
        why = ": " + e.getMessage();
        notifyAll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins anew: what happened before does not count any more. */
  synchronized void acquire(String key) {
    happenings.clear();
    process.send("acquire " + key);
  }

  void release() {
    process.send("release");
  }

  /** What happened first of this kind, waiting for it if need be. */
  synchronized Optional<Happening> await(Happening.Kind kind, Duration limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (seen(kind).isEmpty() && !ended) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        break;
      }
      wait(left);
    }
    return seen(kind);
  }

  /** What happened first of this kind, if it has. */
  synchronized Optional<Happening> seen(Happening.Kind kind) {
    return happenings.stream().filter(each -> each.kind() == kind).findFirst();
  }

  /** SIGSTOP. */
  void pause() {
    ProcessSignals.stop(List.of(process.pid()));
  }

  /** SIGCONT. */
  void resume() {
    ProcessSignals.resume(List.of(process.pid()));
  }

  /** SIGKILL. */
  @Override
  public void close() {
    process.close();
  }
}
