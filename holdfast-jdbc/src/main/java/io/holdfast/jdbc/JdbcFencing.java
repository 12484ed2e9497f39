package io.holdfast.jdbc;

import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.backend.Fences;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Checks a fencing token in the same transaction as the work that it protects. A former holder that
 * has not noticed the loss of its lock is rejected, and its work is rolled back.
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
 * <p>The table {@code holdfast_fence} has a row with the highest token of each resource. The row
 * stays locked until the transaction ends, so no newer holder can come in between the check and the
 * commit. The lock itself may be on any engine, because only the token is checked. The tables are
 * those of {@link JdbcSchema}.
 */
public final class JdbcFencing {
  private JdbcFencing() {}

  /**
   * Accepts the token, or throws. Call it inside a transaction of the caller, before the work.
   *
   * @throws StaleTokenException if the resource has seen a larger token; roll back
   * @throws SQLException a fault of the database; repeat the transaction after a deadlock or a
   *     serialization failure
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
          "the check must be part of the transaction that it protects; call setAutoCommit(false) first");
    }
    long highest = Fences.raise(connection, tables, resource, token);
    if (highest > token) {
      throw new StaleTokenException(resource, token, highest);
    }
  }
}
