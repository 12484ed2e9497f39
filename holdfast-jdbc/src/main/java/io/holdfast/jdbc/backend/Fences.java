package io.holdfast.jdbc.backend;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The table of the highest tokens that resources have seen. One statement inserts or raises, so
 * that two first users of a resource do not break each other's transaction. It also locks the row,
 * which is read next.
 */
public final class Fences {
  private Fences() {}

  /**
   * Raises the highest token of a resource to this token, if it is less.
   *
   * @return the highest token, this one included
   */
  public static long raise(Connection connection, String tables, String resource, long token)
      throws SQLException {
    Dialect dialect = Dialect.ofProduct(connection.getMetaData().getDatabaseProductName());
    String table = tables + "fence";
    String id = Row.idOf(resource);
    try (PreparedStatement statement = connection.prepareStatement(upsert(dialect, table))) {
      statement.setString(1, id);
      statement.setString(2, Ascii.escape(resource));
      statement.setLong(3, token);
      statement.executeUpdate();
    }
    // A locking read, because a snapshot may be older than the row that was just raised.
    String lock = dialect == Dialect.SQLITE ? "" : " FOR UPDATE";
    String sql = "SELECT token FROM " + table + " WHERE id = ?" + lock;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, id);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() ? result.getLong(1) : token;
      }
    }
  }

  private static String upsert(Dialect dialect, String table) {
    return switch (dialect) {
      case POSTGRESQL ->
          ("INSERT INTO %s AS f (id, name, token) VALUES (?, ?, ?)"
                  + " ON CONFLICT (id) DO UPDATE SET token = GREATEST(f.token, EXCLUDED.token)")
              .formatted(table);
      case SQLITE ->
          ("INSERT INTO %s (id, name, token) VALUES (?, ?, ?)"
                  + " ON CONFLICT (id) DO UPDATE SET token = MAX(token, excluded.token)")
              .formatted(table);
      case MYSQL ->
          ("INSERT INTO %s (id, name, token) VALUES (?, ?, ?)"
                  + " ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token))")
              .formatted(table);
      case H2 ->
          ("MERGE INTO %s f USING (VALUES"
                  + " (CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS BIGINT))) n(id, name, token)"
                  + " ON f.id = n.id WHEN MATCHED THEN UPDATE SET token = GREATEST(f.token, n.token)"
                  + " WHEN NOT MATCHED THEN INSERT (id, name, token) VALUES (n.id, n.name, n.token)")
              .formatted(table);
    };
  }
}
