package io.holdfast.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A small connection pool, as an application has one, on a real database. It records every
 * statement and never has more connections than its limit.
 */
final class TestDataSource implements DataSource, AutoCloseable {
  /** The setup of a new connection by the application. */
  interface SetUp {
    void apply(Connection connection) throws SQLException;
  }

  private final TestDatabase database;
  private final int most;
  private final SetUp setUp;
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final List<Connection> all = new ArrayList<>();
  private final List<String> statements = Collections.synchronizedList(new ArrayList<>());

  TestDataSource(TestDatabase database, int most, SetUp setUp) {
    this.database = database;
    this.most = most;
    this.setUp = setUp;
  }

  List<String> statements() {
    synchronized (statements) {
      return List.copyOf(statements);
    }
  }

  void forgetStatements() {
    statements.clear();
  }

  /** The connections that are not in use. */
  synchronized List<Connection> idle() {
    return List.copyOf(idle);
  }

  synchronized int borrowed() {
    return all.size() - idle.size();
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    while (!idle.isEmpty()) {
      Connection connection = idle.removeLast();
      if (!connection.isClosed()) {
        return lent(connection);
      }
      all.remove(connection);
    }
    if (all.size() == most) {
      throw new SQLTransientConnectionException("all " + most + " connections are in use");
    }
    Connection connection = database.connect();
    setUp.apply(connection);
    all.add(connection);
    return lent(connection);
  }

  private synchronized void giveBack(Connection connection) {
    if (!idle.contains(connection)) {
      idle.addLast(connection);
    }
  }

  private Connection lent(Connection connection) {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          switch (method.getName()) {
            case "close" -> {
              giveBack(connection);
              return null;
            }
            case "commit", "rollback" -> statements.add(method.getName().toUpperCase(Locale.ROOT));
            case "prepareStatement" -> {
              String sql = String.valueOf(arguments[0]);
              return counted(
                  PreparedStatement.class, (Statement) method.invoke(connection, arguments), sql);
            }
            case "createStatement" -> {
              return counted(Statement.class, (Statement) method.invoke(connection, arguments), "");
            }
            default -> {}
          }
          return method.invoke(connection, arguments);
        });
  }

  private <T> T counted(Class<T> type, Statement statement, String prepared) {
    return proxy(
        type,
        (method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            boolean hasText = arguments != null && arguments.length > 0;
            statements.add(hasText ? String.valueOf(arguments[0]) : prepared);
          }
          return method.invoke(statement, arguments);
        });
  }

  private interface Handler {
    @Nullable Object call(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return handler.call(method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Override
  public synchronized void close() {
    for (Connection connection : all) {
      try {
        connection.close();
      } catch (SQLException e) {
        System.err.println("not closed in good order: " + e);
      }
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("nothing inside");
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
