package io.holdfast.torture.store;

import io.holdfast.jdbc.JdbcSchema;
import io.holdfast.torture.nemesis.FaultKind;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A SQL database. The registers are in tables beside those of the locks. */
final class JdbcStore implements TortureStore {
  private final Database database;
  private final String strategy;

  JdbcStore(Database database, String strategy) {
    this.database = database;
    this.strategy = strategy;
    run(
        connection -> {
          JdbcSchema.of(connection).create(connection);
          try (Statement statement = connection.createStatement()) {
            statement.execute(
                "CREATE TABLE torture_register (id VARCHAR(80) NOT NULL, token BIGINT NOT NULL,"
                    + " content VARCHAR(200) NOT NULL, PRIMARY KEY (id))");
          }
          return true;
        });
  }

  @Override
  public String version() {
    return run(
        connection ->
            connection.getMetaData().getDatabaseProductName()
                + " "
                + connection.getMetaData().getDatabaseProductVersion().split("[ -]", -1)[0]
                + ", "
                + strategy);
  }

  @Override
  public List<Integer> ports() {
    return database.port() == 0 ? List.of() : List.of(database.port());
  }

  @Override
  public String url(List<Integer> ports) {
    String url = database.urlAt(ports.isEmpty() ? 0 : ports.get(0));
    String separator = database.separator();
    String first = separator.equals("&") && !url.contains("?") ? "?" : separator;
    return url
        + first
        + "holdfast.strategy="
        + strategy
        + separator
        + "holdfast.schema=check"
        + separator
        + "holdfast.timeout=700ms";
  }

  @Override
  public String registerUrl() {
    return database.registerUrl();
  }

  @Override
  public Set<FaultKind> faults() {
    return database.faults();
  }

  @Override
  public List<TortureServer> servers() {
    return database.servers();
  }

  @Override
  public void wipe() {
    update("DELETE FROM holdfast_lock", null);
  }

  @Override
  public void forget(String key) {
    update("DELETE FROM holdfast_lock WHERE name = ?", key);
  }

  @Override
  public void slow(String key, Duration time) {
    run(
        connection -> {
          database.block(connection, key);
          try {
            Thread.sleep(time.toMillis());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          connection.rollback();
          return true;
        });
  }

  @Override
  public long wallClockMillis() {
    return new BigDecimal(list("SELECT " + database.micros()).get(0)).longValue() / 1000;
  }

  @Override
  public int connections() {
    return database.connections().isEmpty()
        ? 0
        : Integer.parseInt(list(database.connections()).get(0)) - 1;
  }

  @Override
  public List<String> leftovers() {
    return list(
        "SELECT name FROM holdfast_lock WHERE state <> '' AND until_micros > "
            + database.micros()
            + " ORDER BY name");
  }

  @Override
  public void close() {
    database.close();
  }

  private void update(String sql, @Nullable String argument) {
    run(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (argument != null) {
              statement.setString(1, argument);
            }
            return statement.executeUpdate();
          }
        });
  }

  private List<String> list(String query) {
    return run(
        connection -> {
          List<String> values = new ArrayList<>();
          try (Statement statement = connection.createStatement();
              ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
              values.add(result.getString(1));
            }
          }
          return values;
        });
  }

  private interface Task<T> {
    T run(Connection connection) throws SQLException;
  }

  private <T> T run(Task<T> task) {
    try (Connection connection = DriverManager.getConnection(database.registerUrl())) {
      return task.run(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the database refused", e);
    }
  }
}
