package io.holdfast.jdbc.backend;

import java.sql.SQLException;

/** A source of connections: a few of the engine's own, or the application's data source. */
interface ConnectionSource extends AutoCloseable {
  /** Borrows a connection in auto-commit mode that may write. */
  Session borrow() throws SQLException;

  /**
   * Returns a connection.
   *
   * @param healthy false if the connection must not be used again
   */
  void giveBack(Session session, boolean healthy);

  /** The number of open connections; of a data source, the number of borrowed ones. */
  int connections();

  /** The kind of database. */
  Dialect dialect();

  /** Closes idle connections; no connection is borrowed any more. */
  @Override
  void close();
}
