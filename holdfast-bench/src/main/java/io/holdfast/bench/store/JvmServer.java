package io.holdfast.bench.store;

import io.holdfast.bench.process.JavaCommand;
import io.holdfast.bench.process.LineProcess;
import io.holdfast.bench.process.ProcessCpu;
import java.time.Duration;
import java.util.List;

/** A server written in Java, in a JVM of its own, so that its CPU time is its own. */
final class JvmServer implements AutoCloseable {
  static final String READY = "READY ";
  private static final Duration STARTUP = Duration.ofMinutes(1);

  private final LineProcess process;
  private final int port;

  JvmServer(
      StoreEnvironment environment,
      Class<?> mainClass,
      List<String> artifacts,
      String... arguments) {
    String classPath = environment.classPath().forChild(artifacts);
    this.process =
        LineProcess.start(
            mainClass.getSimpleName(),
            new JavaCommand(mainClass, classPath).options("-Xmx512m").with(arguments));
    try {
      this.port = Integer.parseInt(process.await(STARTUP, READY).substring(READY.length()));
    } catch (InterruptedException e) {
      process.close();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  int port() {
    return port;
  }

  long cpuNanos() {
    return ProcessCpu.nanos(process.pid());
  }

  @Override
  public void close() {
    process.close();
  }
}
