package io.holdfast.jdbc;

import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.jdbc.backend.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The tables of the engine, for administrators of a database.
 *
 * <pre>{@code
 * JdbcSchema schema = JdbcSchema.of(connection);
 * schema.statements().forEach(System.out::println);            // for a migration tool
 * schema.create(connection);                                   // or directly
 * schema.removeUnused(connection, Duration.ofDays(30));        // now and then, if keys come and go
 * }</pre>
 */
public final class JdbcSchema {
  private static final Duration MIN_AGE = Duration.ofMinutes(1);

  private final Dialect dialect;
  private final String tables;

  private JdbcSchema(Dialect dialect, String tables) {
    this.dialect = dialect;
    this.tables = tables;
  }

  /** The tables with their default names, in the SQL of the database behind the connection. */
  public static JdbcSchema of(Connection connection) throws SQLException {
    return of(connection, "holdfast_");
  }

  /** The same with other names, see {@link JdbcOptions#tables}. */
  public static JdbcSchema of(Connection connection, String tables) throws SQLException {
    JdbcOptions.requireName(tables);
    return new JdbcSchema(
        Dialect.ofProduct(connection.getMetaData().getDatabaseProductName()), tables);
  }

  /** The version of the tables. */
  public int version() {
    return Schema.VERSION;
  }

  /** The statements that create the tables. */
  public List<String> statements() {
    return new Schema(dialect, tables).statements();
  }

  /** Creates missing tables. Several processes may do so at the same time. */
  public void create(Connection connection) throws SQLException {
    new Schema(dialect, tables).create(connection);
  }

  /**
   * Deletes the rows of keys without holders and waiters that were not used for this long. If such
   * a key is used again, its fencing tokens continue to grow, because they are made of the time.
   *
   * @param age at least a minute
   * @return the number of deleted rows
   */
  public int removeUnused(Connection connection, Duration age) throws SQLException {
    if (age.compareTo(MIN_AGE) < 0) {
      throw new IllegalArgumentException("age is at least a minute, not " + age);
    }
    String sql =
        "DELETE FROM %slock WHERE until_micros < %s - ? AND used_micros < %s - ?"
            .formatted(tables, dialect.now(), dialect.now());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      long micros = age.toNanos() / 1000;
      statement.setLong(1, micros);
      statement.setLong(2, micros);
      return statement.executeUpdate();
    }
  }
}
