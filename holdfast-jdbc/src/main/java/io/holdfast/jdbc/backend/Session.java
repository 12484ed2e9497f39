package io.holdfast.jdbc.backend;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection for the time of one request, with transactions of its own: short, read committed,
 * and never somebody else's.
 *
 * <p>Under read committed a locking read sees the row as it is once the lock is there, and no gaps
 * are locked in which two who insert a new key could block each other.
 */
final class Session {
  private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

  private final Connection connection;
  private final Dialect dialect;
  private final boolean own;
  private final int statementSeconds;
  private boolean inTransaction;

  /**
   * @param own true for a connection that was set up for this engine, false for one that is lent
   */
  Session(Connection connection, Dialect dialect, boolean own, int statementSeconds) {
    this.connection = connection;
    this.dialect = dialect;
    this.own = own;
    this.statementSeconds = statementSeconds;
  }

  Connection connection() {
    return connection;
  }

  PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    if (!own && dialect != Dialect.H2 && dialect != Dialect.SQLITE) {
      statement.setQueryTimeout(statementSeconds); // own ones are bounded by a session setting
    }
    return statement;
  }

  /** Starts a transaction; no statement may have been executed since the last one ended. */
  void begin() throws SQLException {
    inTransaction = true;
    if (dialect == Dialect.SQLITE) {
      execute("BEGIN IMMEDIATE"); // a transaction that starts by reading could not write later
      return;
    }
    if (dialect == Dialect.MYSQL && !own) {
      execute(READ_COMMITTED); // for the next transaction only
    }
    connection.setAutoCommit(false);
    if (dialect == Dialect.POSTGRESQL && !own) {
      execute(READ_COMMITTED); // for this transaction only
    }
  }

  void commit() throws SQLException {
    if (dialect == Dialect.SQLITE) {
      execute("COMMIT");
    } else {
      connection.commit();
      connection.setAutoCommit(true);
    }
    inTransaction = false;
  }

  /** Takes everything back. Does nothing outside a transaction. */
  void rollback() throws SQLException {
    if (!inTransaction) {
      return;
    }
    if (dialect == Dialect.SQLITE) {
      execute("ROLLBACK");
    } else {
      connection.rollback();
      connection.setAutoCommit(true);
    }
    inTransaction = false;
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
