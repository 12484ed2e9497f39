package io.holdfast.jdbc;

import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.backend.Fences;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The check of a fencing token in the same transaction as the work that it protects. Whoever lost
 * the lock without knowing is turned away, and its work is rolled back with it.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *   connection.setAutoCommit(false);
 *   JdbcFencing.check(connection, "stock:42", lease.token());   // throws StaleTokenException
 *   sell(connection);
 *   connection.commit();
 * }
 * }</pre>
 *
 * <p>The highest token that each resource has seen stands in a row of the table {@code
 * holdfast_fence}. The row stays locked until the transaction ends, so between the check and the
 * commit no newer holder can come in between. The lock itself may be on any engine: the token is
 * what counts. The tables are those of {@link JdbcSchema}.
 */
public final class JdbcFencing {
  private JdbcFencing() {}

  /**
   * Lets the token in, or throws. To be called inside a transaction of the caller, before its work.
   *
   * @throws StaleTokenException when a larger token has been here; roll back
   * @throws SQLException what the database says; a deadlock or a serialization failure means that
   *     the transaction is to be done again
   */
  public static void check(Connection connection, String resource, long token) throws SQLException {
    check(connection, resource, token, "holdfast_");
  }

  /** The same with tables of another name, see {@link JdbcOptions#tables}. */
  public static void check(Connection connection, String resource, long token, String tables)
      throws SQLException {
    JdbcOptions.requireName(tables);
    if (token < 1) {
      throw new IllegalArgumentException("a fencing token is at least 1, not " + token);
    }
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the check belongs into the transaction of the work it protects; call setAutoCommit(false) first");
    }
    long highest = Fences.raise(connection, tables, resource, token);
    if (highest > token) {
      throw new StaleTokenException(resource, token, highest);
    }
  }
}
