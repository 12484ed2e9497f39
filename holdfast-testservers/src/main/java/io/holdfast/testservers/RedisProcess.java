package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import io.holdfast.testkit.internal.Signals;
import io.holdfast.testkit.internal.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One redis-server process after another, on one port and in one directory. A free port may be
 * taken by someone else before the server binds it: the first start then tries another, a later
 * start has no choice and fails. A server counts as started when it answers and says that it is the
 * process we started, not a stranger on the same port.
 */
final class RedisProcess implements AutoCloseable {
  private static final Duration STARTUP = Duration.ofMinutes(2);
  private static final Duration SHUTDOWN = Duration.ofMinutes(1);
  private static final Duration ANSWER = Duration.ofMillis(500);
  private static final int PORTS_TO_TRY = 10;

  /** Where free ports come from. */
  interface PortSource {
    int next() throws IOException;
  }

  private final List<String> config;
  private final List<String> arguments;
  private final Map<String, String> environment;
  private final boolean tls;
  private final PortSource ports;
  private final Path directory;
  private int port;
  private int tlsPort;
  private @Nullable Process process;
  private boolean paused;
  private boolean closed;

  RedisProcess(
      List<String> config,
      List<String> arguments,
      Map<String, String> environment,
      boolean tls,
      PortSource ports)
      throws IOException {
    this.config = List.copyOf(config);
    this.arguments = List.copyOf(arguments);
    this.environment = Map.copyOf(environment);
    this.tls = tls;
    this.ports = ports;
    this.directory = Leftovers.newDirectory("redis");
  }

  synchronized void start() {
    if (closed || isAlive()) {
      throw new IllegalStateException(closed ? "the server is closed" : "the server runs already");
    }
    try {
      if (port != 0) {
        if (!launch()) {
          throw new IllegalStateException("port " + port + " was taken meanwhile:\n" + log());
        }
        return;
      }
      for (int attempt = 0; attempt < PORTS_TO_TRY; attempt++) {
        choosePorts();
        if (launch()) {
          return;
        }
      }
      port = 0;
      throw new IllegalStateException("no free port in " + PORTS_TO_TRY + " attempts:\n" + log());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start redis-server", e);
    }
  }

  synchronized void stop() {
    Process running = process;
    if (running == null) {
      return;
    }
    if (paused && running.isAlive()) {
      resume(); // a stopped process would not see SIGTERM
    }
    running.destroy();
    if (!Waiting.forExit(running, SHUTDOWN)) {
      kill();
      throw new IllegalStateException("the server ignored SIGTERM and was killed:\n" + log());
    }
  }

  synchronized void kill() {
    if (process != null && !Waiting.forExit(process.destroyForcibly(), SHUTDOWN)) {
      throw new IllegalStateException("process " + process.pid() + " survived SIGKILL");
    }
    paused = false;
  }

  synchronized void pause() {
    Signals.stop(running());
    paused = true;
  }

  synchronized void resume() {
    Signals.resume(running());
    paused = false;
  }

  synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  synchronized int port() {
    if (port == 0) {
      throw new IllegalStateException("the server has no port before its first start");
    }
    return port;
  }

  synchronized int tlsPort() {
    if (!tls) {
      throw new IllegalStateException("the server was built without tls(certificate)");
    }
    port();
    return tlsPort;
  }

  String log() {
    try {
      return Files.exists(logFile()) ? Files.readString(logFile()) : "";
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the log of the server", e);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      kill();
      Leftovers.remove(directory);
    }
  }

  private Process running() {
    if (process == null || !process.isAlive()) {
      throw new IllegalStateException("the server is down");
    }
    return process;
  }

  private void choosePorts() throws IOException {
    port = ports.next();
    List<String> lines = new ArrayList<>(config);
    lines.add("port " + port);
    if (tls) {
      tlsPort = ports.next();
      lines.add("tls-port " + tlsPort);
    }
    Files.write(directory.resolve("redis.conf"), lines);
  }

  /** Whether the server came up; not if the port was taken. Any other trouble is an exception. */
  private boolean launch() throws IOException {
    int logged = log().length();
    List<String> command = new ArrayList<>(List.of(RedisBinary.path().toString(), "redis.conf"));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    builder.environment().putAll(Map.of("LC_ALL", "C")); // a locale unknown to it would stop it
    builder.environment().putAll(environment);
    Process started = Leftovers.start(builder);
    process = started;
    paused = false;
    boolean settled = Waiting.until(() -> !started.isAlive() || answers(started), STARTUP);
    if (settled && started.isAlive()) {
      return true;
    }
    kill();
    String said = log().substring(logged);
    if (said.contains("Failed listening on port")) {
      return false;
    }
    throw new IllegalStateException(
        (settled ? "redis-server ended with exit code " + started.exitValue() : "no answer in time")
            + ":\n"
            + said);
  }

  private boolean answers(Process started) {
    try (RespConnection connection = new RespAddress("127.0.0.1", port).open(ANSWER)) {
      connection.call("PING");
      String info = String.valueOf(connection.call("INFO", "server"));
      return info.contains("process_id:" + started.pid() + "\r\n");
    } catch (RespException e) {
      // Loading its data it is not ready yet. Asking for a password, or denying INFO, it is.
      return !e.code().equals("LOADING");
    } catch (IOException e) {
      return false;
    }
  }

  private Path logFile() {
    return directory.resolve("redis.log");
  }
}
