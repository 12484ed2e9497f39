package io.holdfast.jdbc.backend;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection for the time of one request. Its transactions are short, run under read committed,
 * and are never part of a transaction of the application.
 *
 * <p>Under read committed a locking read returns the row as it is when the lock is acquired, and
 * the database locks no gaps, in which two inserts of a new key could block each other.
 */
final class Session {
  private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

  private final Connection connection;
  private final Dialect dialect;
  private final boolean own;
  private final int statementSeconds;
  private boolean inTransaction;

  /**
   * @param own true for a connection of the engine, false for one of the application's data source
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
      statement.setQueryTimeout(
          statementSeconds); // the engine's own connections have a session setting
    }
    return statement;
  }

  /** Starts a transaction; no statement may have been executed since the last one ended. */
  void begin() throws SQLException {
    inTransaction = true;
    if (dialect == Dialect.SQLITE) {
      execute("BEGIN IMMEDIATE"); // a transaction that begins with a read may fail to write
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

  /** Rolls back; does nothing outside a transaction. */
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
