package io.holdfast.torture.store;

import io.holdfast.torture.nemesis.FaultKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** A database as a {@link JdbcStore} needs it: its server, and where it differs from others. */
interface Database extends AutoCloseable {
  /** The server; none if it is a file. */
  List<TortureServer> servers();

  /** Zero if it is a file. */
  int port();

  /**
   * The URL for a client whose way begins at that port, with a separator for options at the end.
   */
  String urlAt(int port);

  /** What separates options in its URLs. */
  default String separator() {
    return "&";
  }

  /** For the connection of a register, which must begin as a writer where that matters. */
  default String registerUrl() {
    return urlAt(port());
  }

  /** What can be done to it. */
  Set<FaultKind> faults();

  /** A query for the number of connections, this one included; empty if there is no such thing. */
  String connections();

  /** An expression for its clock in microseconds. */
  String micros();

  /** Begins a transaction that keeps others from the row, or from the whole, until its end. */
  default void block(Connection connection, String key) throws SQLException {
    connection.setAutoCommit(false);
    try (var query =
        connection.prepareStatement("SELECT id FROM holdfast_lock WHERE name = ? FOR UPDATE")) {
      query.setString(1, key);
      query.executeQuery().close();
    }
  }

  @Override
  void close();
}
