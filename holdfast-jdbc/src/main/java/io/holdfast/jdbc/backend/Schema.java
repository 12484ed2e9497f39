package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Checks that the tables exist in this version, and creates them. */
public final class Schema {
  /** The version of the tables that this code works with. */
  public static final int VERSION = 1;

  private static final int TRIES = 20;

  private final Dialect dialect;
  private final String tables;

  /**
   * @param tables the prefix of the names of the tables
   */
  public Schema(Dialect dialect, String tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** The statements that create the tables. */
  public List<String> statements() {
    String file = "/io/holdfast/jdbc/schema/" + dialect.schemaFile();
    String text;
    try (InputStream stream = Schema.class.getResourceAsStream(file)) {
      if (stream == null) {
        throw new IllegalStateException("not in the jar: " + file);
      }
      text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    String bare = text.replaceAll("--[^\n]*", "").replace("${tables}", tables);
    List<String> statements = new ArrayList<>();
    for (String statement : bare.split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }

  /**
   * Makes sure that the tables exist in this version.
   *
   * @param create true to create missing tables
   */
  void check(Session session, boolean create) throws SQLException {
    int found = versionOn(session.connection());
    if (found == 0 && create) {
      create(session.connection());
      found = versionOn(session.connection());
    }
    if (found == 0) {
      throw new BackendException(SqlFaults.missingTables(dialect, tables), null);
    }
    if (found != VERSION) {
      throw new BackendException(
          "the tables %s... are of version %d, and this Holdfast works with version %d; %s"
              .formatted(
                  tables,
                  found,
                  VERSION,
                  found > VERSION
                      ? "use a newer Holdfast"
                      : "migrate them, or choose another name with holdfast.tables"),
          null);
    }
  }

  /**
   * Creates the tables. Other processes may do so at the same time: if a table exists already, this
   * checks again.
   */
  public void create(Connection connection) throws SQLException {
    SQLException last = null;
    for (int i = 0; i < TRIES; i++) {
      try {
        if (versionOn(connection) != 0) {
          return;
        }
        for (String statement : statements()) {
          execute(connection, statement);
        }
        return;
      } catch (SQLException e) {
        last = e;
        if (isRefused(e)) {
          throw e;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 100_000_000));
      }
    }
    throw last == null ? new SQLException("the tables could not be created") : last;
  }

  private boolean isRefused(SQLException e) {
    boolean exists = "42P07".equals(e.getSQLState()) || "42710".equals(e.getSQLState());
    return SqlFaults.isLasting(e, dialect) && !exists && !SqlFaults.isMissingTable(e, dialect);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The version of the tables; 0 if there are none. */
  private int versionOn(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT version FROM " + tables + "schema WHERE id = 1")) {
      return result.next() ? result.getInt(1) : 0;
    } catch (SQLException e) {
      if (SqlFaults.isMissingTable(e, dialect)) {
        return 0;
      }
      throw e;
    }
  }
}
