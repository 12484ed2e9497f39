package io.holdfast.jdbc.backend;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Connections of the application's data source, one per request. They are returned in their former
 * state: a pool may have them read-only or without auto-commit.
 */
final class LentConnections implements ConnectionSource {
  private record Before(boolean autoCommit, boolean readOnly, int networkTimeout, int isolation) {}

  private static final int UNCHANGED = -1;

  private final DataSource dataSource;
  private final Dialect dialect;
  private final Settings settings;
  private final ConcurrentHashMap<Session, Before> borrowed = new ConcurrentHashMap<>();

  LentConnections(DataSource dataSource, Dialect dialect, Settings settings) {
    this.dataSource = dataSource;
    this.dialect = dialect;
    this.settings = settings;
  }

  @Override
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public Session borrow() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      Session session = new Session(connection, dialect, false, settings.timeoutSeconds());
      borrowed.put(session, prepare(connection));
      return session;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private Before prepare(Connection connection) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    boolean readOnly = connection.isReadOnly();
    int networkTimeout = UNCHANGED;
    int isolation = UNCHANGED;
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    if (readOnly) {
      connection.setReadOnly(false);
    }
    if (dialect == Dialect.H2) {
      isolation = connection.getTransactionIsolation(); // local, without a round trip
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    } else if (dialect != Dialect.SQLITE) {
      networkTimeout = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, settings.networkTimeoutMillis());
    }
    return new Before(autoCommit, readOnly, networkTimeout, isolation);
  }

  @Override
  public void giveBack(Session session, boolean healthy) {
    Before before = borrowed.remove(session);
    Connection connection = session.connection();
    try (connection) {
      if (!healthy) {
        connection.abort(Runnable::run); // so that no pool uses it again
        return;
      }
      if (before != null) {
        restore(connection, before);
      }
    } catch (SQLException | RuntimeException e) {
      // closed all the same; the pool detects it
    }
  }

  private static void restore(Connection connection, Before before) throws SQLException {
    if (before.networkTimeout() != UNCHANGED) {
      connection.setNetworkTimeout(Runnable::run, before.networkTimeout());
    }
    if (before.isolation() != UNCHANGED) {
      connection.setTransactionIsolation(before.isolation());
    }
    if (before.readOnly()) {
      connection.setReadOnly(true);
    }
    if (!before.autoCommit()) {
      connection.setAutoCommit(false);
    }
  }

  @Override
  public int connections() {
    return borrowed.size();
  }

  /** Does nothing: the data source belongs to the application. */
  @Override
  public void close() {}
}
