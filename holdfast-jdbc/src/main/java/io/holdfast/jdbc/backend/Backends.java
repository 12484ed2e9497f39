package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Opens the engine: determines the database, connects once, and checks the tables. */
public final class Backends {
  private static final int BUSY_TRIES = 50;

  private Backends() {}

  /** Opens the engine on connections of its own. */
  public static LockBackend open(String url, Settings settings, BackendContext context) {
    Dialect dialect = Dialect.ofUrl(url);
    return open(
        new OwnConnections(url, dialect, settings, context.time()::nanoTime), settings, context);
  }

  /** Opens the engine on connections of the application. */
  public static LockBackend open(
      DataSource dataSource, Dialect dialect, Settings settings, BackendContext context) {
    return open(new LentConnections(dataSource, dialect, settings), settings, context);
  }

  /** Determines the database behind a data source. */
  public static Dialect dialectOf(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection()) {
      return Dialect.ofProduct(connection.getMetaData().getDatabaseProductName());
    } catch (SQLException e) {
      throw new ConnectFaults(e, null).explain(null);
    }
  }

  static LockBackend open(ConnectionSource source, Settings settings, BackendContext context) {
    Dialect dialect = source.dialect();
    boolean done = false;
    try {
      checkTables(source, settings);
      done = true;
    } catch (SQLException e) {
      throw new ConnectFaults(e, dialect).explain(settings);
    } finally {
      if (!done) {
        source.close();
      }
    }
    return new JdbcBackend(source, settings, context);
  }

  /** Repeats the check, because the tables are busy while many processes start at once. */
  private static void checkTables(ConnectionSource source, Settings settings) throws SQLException {
    Schema schema = new Schema(source.dialect(), settings.tables());
    for (int tries = 1; ; tries++) {
      try {
        Session session = source.borrow();
        boolean healthy = false;
        try {
          schema.check(session, settings.createSchema());
          healthy = true;
        } finally {
          source.giveBack(session, healthy);
        }
        return;
      } catch (SQLException e) {
        if (tries == BUSY_TRIES || !SqlFaults.isConflict(e, source.dialect())) {
          throw e;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000, 50_000_000));
      }
    }
  }
}
