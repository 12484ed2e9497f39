package io.holdfast.jdbc;

import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.testservers.MariaDbServer;
import io.holdfast.testservers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A real database of the test run, which a test can read and damage. */
final class TestDatabase {
  /** Reads a row. */
  interface Reader {
    void read(ResultSet row) throws SQLException;
  }

  /** The time-out for requests that are answered. */
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final String url;

  private TestDatabase(String url) {
    this.url = url;
  }

  /** The kinds of databases, for tests that all of them must pass. */
  enum Kind {
    H2,
    SQLITE,
    POSTGRES,
    MARIADB;

    /** True if it runs in a process of its own. */
    boolean isServer() {
      return this == POSTGRES || this == MARIADB;
    }
  }

  static TestDatabase of(Kind kind) {
    return switch (kind) {
      case H2 -> h2();
      case SQLITE -> sqlite();
      case POSTGRES -> postgres();
      case MARIADB -> mariaDb();
    };
  }

  /** A database in the memory of this process. */
  static TestDatabase h2() {
    return new TestDatabase("jdbc:h2:mem:holdfast;DB_CLOSE_DELAY=-1");
  }

  /** The server of this test run, or the one that the environment names. */
  static TestDatabase postgres() {
    String given = System.getenv("HOLDFAST_TEST_POSTGRES_URL");
    return new TestDatabase(given != null ? given : PostgresServer.shared().url());
  }

  /** The server of this test run, or the one that the environment names. */
  static TestDatabase mariaDb() {
    String given = System.getenv("HOLDFAST_TEST_MARIADB_URL");
    return new TestDatabase(given != null ? given : MariaDbServer.shared().url());
  }

  /** Another database of the same server. */
  TestDatabase called(String name) {
    return new TestDatabase(url.replaceFirst("(//[^/]+/)[^?]*", "$1" + name));
  }

  /** A database that exists. */
  static TestDatabase at(String url) {
    return new TestDatabase(url);
  }

  /** A database in a new file. */
  static TestDatabase sqlite() {
    try {
      Path folder = Files.createTempDirectory("holdfast-sqlite-");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      return new TestDatabase("jdbc:sqlite:" + folder.resolve("locks.db"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      System.err.println("cannot remove " + folder + ": " + e);
    }
  }

  String url() {
    return url;
  }

  Dialect dialect() {
    return Dialect.ofUrl(url);
  }

  /**
   * The URL with options of Holdfast. A request may take as long as a busy machine needs, unless an
   * option limits it.
   */
  String urlWith(String... options) {
    StringBuilder text = new StringBuilder(url);
    List<String> all = new ArrayList<>(List.of(options));
    if (all.stream().noneMatch(option -> option.startsWith("timeout="))) {
      all.add("timeout=" + TIMEOUT.toSeconds() + "s");
    }
    for (String option : all) {
      String separator = dialect() == Dialect.H2 ? ";" : text.indexOf("?") < 0 ? "?" : "&";
      text.append(separator).append("holdfast.").append(option);
    }
    return text.toString();
  }

  /** A name for tables that no other test uses. */
  static String newTables() {
    return "t_" + UUID.randomUUID().toString().replace("-", "") + "_";
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  /** The number of statements on tables with this prefix that wait for a locked row. */
  long waitingForRows(String tables) {
    return number(
        dialect() == Dialect.POSTGRESQL
            ? "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"
                + tables
                + "%'"
            : "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                + " AND trx_query LIKE '%"
                + tables
                + "%'");
  }

  int update(String sql, Object... values) {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  long number(String sql) {
    long[] number = {Long.MIN_VALUE};
    query(sql, row -> number[0] = row.getLong(1));
    return number[0];
  }

  void query(String sql, Reader reader) {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        reader.read(rows);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
