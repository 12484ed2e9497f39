package io.holdfast.bench.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** H2 as a server of its own, with its data in memory. */
final class H2StoreServer implements StoreServer {
  private static final String STATEMENTS =
      "SELECT COALESCE(SUM(EXECUTION_COUNT), 0) FROM INFORMATION_SCHEMA.QUERY_STATISTICS"
          + " WHERE SQL_STATEMENT NOT LIKE '%QUERY_STATISTICS%'";

  private final JvmServer server;
  private final Connection meter;
  private final String version;

  H2StoreServer(StoreEnvironment environment) {
    String h2 = "com.h2database:h2";
    this.server = new JvmServer(environment, H2Main.class, List.of(h2));
    this.version = environment.classPath().version(h2);
    try {
      this.meter = DriverManager.getConnection(url());
      try (Statement statement = meter.createStatement()) {
        statement.execute("SET QUERY_STATISTICS TRUE");
      }
    } catch (SQLException e) {
      server.close();
      throw new IllegalStateException("cannot connect to H2", e);
    }
  }

  @Override
  public String description() {
    return "H2 " + version + ", a server with its data in memory";
  }

  @Override
  public String url() {
    return urlAt(port());
  }

  @Override
  public int port() {
    return server.port();
  }

  @Override
  public String urlAt(int port) {
    return "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:bench;DB_CLOSE_DELAY=-1";
  }

  @Override
  public synchronized Traffic traffic() {
    try (Statement statement = meter.createStatement();
        ResultSet result = statement.executeQuery(STATEMENTS)) {
      result.next();
      return new Traffic(Map.of("statements", result.getLong(1)), -1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  @Override
  public void close() {
    try (server;
        meter) {
      // both are closed
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
