package io.holdfast.jdbc.backend;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * A few connections of the engine's own, opened by URL and kept. As many are open as are used at a
 * time. A connection that was idle for a while is closed, except the last one: a database in memory
 * ends with its last connection.
 */
final class OwnConnections implements ConnectionSource {
  private static final int MYSQL_UNKNOWN_VARIABLE = 1193;
  private static final long IDLE_NANOS = 30_000_000_000L;
  private static final long UNCHECKED_NANOS = 5_000_000_000L;

  private record Idle(Session session, long since) {}

  private final String url;
  private final Dialect dialect;
  private final Settings settings;
  private final LongSupplier nanoTime;
  private final Deque<Idle> idle = new ArrayDeque<>();
  private final AtomicInteger open = new AtomicInteger();
  private boolean anyBroken;
  private long lastBroken;
  private boolean closed;

  OwnConnections(String url, Dialect dialect, Settings settings, LongSupplier nanoTime) {
    this.url = url;
    this.dialect = dialect;
    this.settings = settings;
    this.nanoTime = nanoTime;
  }

  @Override
  public Dialect dialect() {
    return dialect;
  }

  @Override
  public Session borrow() throws SQLException {
    while (true) {
      Idle last;
      synchronized (this) {
        last = idle.pollLast();
      }
      if (last == null) {
        return open();
      }
      boolean fresh = isFresh(last);
      if (fresh || last.session().connection().isValid(settings.timeoutSeconds())) {
        return last.session();
      }
      closeQuietly(last.session());
    }
  }

  /** A connection that was used a moment ago needs no check, unless another has broken since. */
  private synchronized boolean isFresh(Idle one) {
    return nanoTime.getAsLong() - one.since() < UNCHECKED_NANOS
        && (!anyBroken || one.since() - lastBroken > 0);
  }

  @Override
  public void giveBack(Session session, boolean healthy) {
    Deque<Session> unused = new ArrayDeque<>();
    synchronized (this) {
      if (healthy && !closed) {
        idle.addLast(new Idle(session, nanoTime.getAsLong()));
      } else {
        unused.add(session);
        anyBroken |= !healthy;
        lastBroken = nanoTime.getAsLong();
      }
      Iterator<Idle> oldestFirst = idle.iterator();
      while (oldestFirst.hasNext() && idle.size() > 1) {
        Idle oldest = oldestFirst.next();
        if (nanoTime.getAsLong() - oldest.since() < IDLE_NANOS) {
          break;
        }
        oldestFirst.remove();
        unused.add(oldest.session());
      }
    }
    unused.forEach(this::closeQuietly);
  }

  @Override
  public int connections() {
    return open.get();
  }

  @Override
  public void close() {
    Deque<Idle> rest;
    synchronized (this) {
      closed = true;
      rest = new ArrayDeque<>(idle);
      idle.clear();
    }
    rest.forEach(each -> closeQuietly(each.session()));
  }

  private void closeQuietly(Session session) {
    open.decrementAndGet();
    try {
      session.connection().close();
    } catch (SQLException | RuntimeException e) { // the others are closed all the same
      // the connection is not used any more
    }
  }

  // ---- opening

  private Session open() throws SQLException {
    Connection connection = DriverManager.getConnection(url, properties());
    try {
      setUp(connection);
      Session session = new Session(connection, dialect, true, settings.timeoutSeconds());
      open.incrementAndGet();
      return session;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Time-outs for connecting, unless the URL sets them. */
  private Properties properties() {
    Properties properties = new Properties();
    String seconds = Integer.toString(settings.timeoutSeconds());
    String millis = Integer.toString(settings.networkTimeoutMillis());
    switch (dialect) {
      case POSTGRESQL -> {
        unlessInUrl(properties, "loginTimeout", seconds);
        unlessInUrl(properties, "connectTimeout", seconds);
        unlessInUrl(properties, "ApplicationName", "holdfast");
      }
      case MYSQL -> {
        unlessInUrl(properties, "connectTimeout", millis);
        unlessInUrl(properties, "socketTimeout", millis);
      }
      default -> {}
    }
    return properties;
  }

  private void unlessInUrl(Properties properties, String name, String value) {
    if (!url.toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT) + "=")) {
      properties.setProperty(name, value);
    }
  }

  private void setUp(Connection connection) throws SQLException {
    long millis = settings.timeout().toMillis();
    try (Statement statement = connection.createStatement()) {
      switch (dialect) {
        case POSTGRESQL -> {
          connection.setNetworkTimeout(Runnable::run, settings.networkTimeoutMillis());
          statement.execute(
              "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE");
          statement.execute("SET statement_timeout = " + millis);
          // a client that is cut off during a transaction must not keep the row locked
          statement.execute("SET idle_in_transaction_session_timeout = " + 2 * millis);
        }
        case MYSQL -> {
          connection.setNetworkTimeout(Runnable::run, settings.networkTimeoutMillis());
          statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
          statement.execute("SET SESSION innodb_lock_wait_timeout = " + settings.timeoutSeconds());
          limitIdleTransactions(statement);
        }
        case H2 -> {
          statement.execute("SET LOCK_TIMEOUT " + millis);
          connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        case SQLITE -> {
          statement.execute("PRAGMA busy_timeout = " + millis);
          // Readers do not block the writer. A commit survives the death of a process, but perhaps
          // not of the machine; no holder on that machine survives that either.
          statement.execute("PRAGMA journal_mode = WAL");
          statement.execute("PRAGMA synchronous = NORMAL");
        }
      }
    }
    connection.setAutoCommit(true);
  }

  /** The same for MariaDB; MySQL has no such setting. */
  private void limitIdleTransactions(Statement statement) throws SQLException {
    try {
      statement.execute("SET SESSION idle_transaction_timeout = " + 2 * settings.timeoutSeconds());
    } catch (SQLException e) {
      if (e.getErrorCode() != MYSQL_UNKNOWN_VARIABLE) {
        throw e;
      }
    }
  }
}
