package io.holdfast.bench.store;

import io.holdfast.bench.process.ProcessCpu;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** PostgreSQL with the tables of the peers; nothing is forced to disk. */
final class PostgresStoreServer implements StoreServer {
  private static final String STATEMENTS =
      "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
          + " WHERE toplevel AND query NOT LIKE '%pg_stat_%'";

  private final EmbeddedPostgres server;
  private final Connection meter;
  private final long pid;
  private final String version;

  PostgresStoreServer(StoreEnvironment environment) {
    Path data = environment.directory().resolve("postgresql");
    try {
      this.server =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setServerConfig("shared_preload_libraries", "pg_stat_statements")
              .setServerConfig("max_connections", "300")
              .start();
      this.pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
      this.meter = server.getPostgresDatabase().getConnection();
      try (Statement statement = meter.createStatement();
          InputStream schema = getClass().getResourceAsStream("postgresql.sql")) {
        if (schema == null) {
          throw new IllegalStateException("no schema");
        }
        statement.execute(new String(schema.readAllBytes(), StandardCharsets.UTF_8));
      }
      this.version = meter.getMetaData().getDatabaseProductVersion();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start PostgreSQL", e);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot prepare PostgreSQL", e);
    }
  }

  @Override
  public String description() {
    return "PostgreSQL " + version.split(" ", -1)[0] + ", fsync and synchronous_commit off";
  }

  @Override
  public String url() {
    return urlAt(port());
  }

  @Override
  public int port() {
    return server.getPort();
  }

  @Override
  public String urlAt(int port) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  @Override
  public Traffic traffic() {
    return new Traffic(Map.of("statements", number(STATEMENTS)), -1);
  }

  @Override
  public int connections() {
    String clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
    return (int) number(clients) - 1;
  }

  @Override
  public long cpuNanos() {
    return ProcessCpu.nanos(pid);
  }

  private synchronized long number(String query) {
    try (Statement statement = meter.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try (server;
        meter) {
      // both are closed
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
