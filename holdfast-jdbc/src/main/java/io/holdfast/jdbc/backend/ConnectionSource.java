package io.holdfast.jdbc.backend;

import java.sql.SQLException;

/** Where connections come from: a few of our own, or the application's data source. */
interface ConnectionSource extends AutoCloseable {
  /** A connection that commits each statement by itself and may write. */
  Session borrow() throws SQLException;

  /**
   * Takes one back.
   *
   * @param healthy false if it must not be used again
   */
  void giveBack(Session session, boolean healthy);

  /** How many are open now; of those that are lent, how many are borrowed. */
  int connections();

  /** What database this is. */
  Dialect dialect();

  /** Closes what is idle; nothing is borrowed any more. */
  @Override
  void close();
}
