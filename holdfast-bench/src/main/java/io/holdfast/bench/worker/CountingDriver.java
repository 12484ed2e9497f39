package io.holdfast.bench.worker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the driver of a database that does not count its statements, and counts them: every
 * call of a method {@code execute...} of a statement, which includes BEGIN and COMMIT where they
 * are sent as statements, and every commit and rollback of a connection.
 */
final class CountingDriver implements Driver {
  private final Driver counted;
  private final LongAdder statements = new LongAdder();

  private CountingDriver(Driver counted) {
    this.counted = counted;
  }

  /** Takes the place of the driver for this URL, in the whole JVM. */
  static CountingDriver replace(String url) throws SQLException {
    Driver real = DriverManager.getDriver(url);
    CountingDriver counting = new CountingDriver(real);
    DriverManager.deregisterDriver(real);
    DriverManager.registerDriver(counting);
    return counting;
  }

  /** Gives the driver its place back. */
  void restore() throws SQLException {
    DriverManager.deregisterDriver(this);
    DriverManager.registerDriver(counted);
  }

  long statements() {
    return statements.sum();
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    Connection connection = counted.connect(url, info);
    return connection == null ? null : proxy(Connection.class, connection);
  }

  private <T> T proxy(Class<T> type, T target) {
    InvocationHandler handler =
        (self, method, arguments) -> {
          if (counts(method)) {
            statements.increment();
          }
          return wrap(invoke(target, method, arguments));
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static boolean counts(Method method) {
    String name = method.getName();
    return name.startsWith("execute") || name.equals("commit") || name.equals("rollback");
  }

  private static @Nullable Object invoke(
      Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private @Nullable Object wrap(@Nullable Object result) {
    if (result instanceof PreparedStatement prepared) {
      return proxy(PreparedStatement.class, prepared);
    }
    return result instanceof Statement statement ? proxy(Statement.class, statement) : result;
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return counted.acceptsURL(url);
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
    return counted.getPropertyInfo(url, info);
  }

  @Override
  public int getMajorVersion() {
    return counted.getMajorVersion();
  }

  @Override
  public int getMinorVersion() {
    return counted.getMinorVersion();
  }

  @Override
  public boolean jdbcCompliant() {
    return counted.jdbcCompliant();
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getLogger(CountingDriver.class.getName());
  }
}
