package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.StaleTokenException;
import io.holdfast.testkit.OtherThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check and the work are one transaction. */
@Timeout(300)
class JdbcFencingTest {
  private final String tables = TestDatabase.newTables();
  private final String stock = tables + "stock";

  /** The work of an application. */
  private void sell(TestDatabase database, long token) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      try {
        JdbcFencing.check(connection, "stock:42", token, tables);
        try (Statement statement = connection.createStatement()) {
          statement.executeUpdate("UPDATE " + stock + " SET amount = amount - 1 WHERE id = 42");
        }
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private TestDatabase prepared(TestDatabase.Kind kind) {
    TestDatabase database = TestDatabase.of(kind);
    database.update("CREATE TABLE " + stock + " (id INT PRIMARY KEY, amount INT)");
    database.update("INSERT INTO " + stock + " VALUES (42, 10)");
    return database;
  }

  @ParameterizedTest
  @EnumSource
  void aFormerHolderIsRejectedAndItsWorkRolledBack(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = prepared(kind);
    String url = database.urlWith("tables=" + tables, "schema=create");
    try (LockManager former = LockManager.create(url);
        LockManager present = LockManager.create(url)) {
      Lease lost =
          former.getLock("stock:42").leaseFor(Duration.ofSeconds(3)).acquire(); // it waits for that
      sell(database, lost.token());
      sell(database, lost.token());
      try (Lease lease = present.getLock("stock:42").acquire()) {
        sell(database, lease.token());
        assertThatThrownBy(() -> sell(database, lost.token()))
            .isInstanceOf(StaleTokenException.class)
            .hasMessageContaining(Long.toString(lease.token()));
        sell(database, lease.token());
      }
    }
    assertThat(database.number("SELECT amount FROM " + stock)).isEqualTo(6);
  }

  /** A server takes over without the grant and grants the lock to another owner. */
  @ParameterizedTest
  @EnumSource
  void aHolderForgottenInAFailoverReleasesNoOtherHolder(TestDatabase.Kind kind) {
    TestDatabase database = TestDatabase.of(kind);
    String table = tables + "lock";
    String url = database.urlWith("tables=" + tables, "schema=create");
    try (LockManager forgotten = LockManager.create(url);
        LockManager present = LockManager.create(url);
        LockManager third = LockManager.create(url)) {
      forgotten.getLock("k").acquire().close();
      long version = database.number("SELECT version FROM " + table);
      long tick = database.number("SELECT tick FROM " + table);
      Lease lost = forgotten.getLock("k").acquire();
      database.update(
          "UPDATE %s SET state = '', version = %d, tick = %d".formatted(table, version, tick));
      Lease lease = present.getLock("k").acquire(); // reaches the same version
      assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
      assertThat(third.getLock("k").tryLock()).isFalse();
      lease.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aNewerHolderWaitsForTheTransactionThatAnOlderHolderBeganInTime(TestDatabase.Kind kind)
      throws Exception {
    TestDatabase database = prepared(kind);
    try (Connection schema = database.connect()) {
      JdbcSchema.of(schema, tables).create(schema);
    }
    try (Connection older = database.connect();
        OtherThread newer = new OtherThread("newer")) {
      older.setAutoCommit(false);
      JdbcFencing.check(older, "stock:42", 5, tables);
      Future<Boolean> waiting = newer.startRun(() -> sell(database, 6));
      Patience.eventually().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
      older.commit();
      OtherThread.get(waiting);
      assertThatThrownBy(() -> JdbcFencing.check(older, "stock:42", 5, tables))
          .isInstanceOf(StaleTokenException.class);
      older.rollback();
    }
    assertThat(database.number("SELECT token FROM " + tables + "fence")).isEqualTo(6);
  }

  @ParameterizedTest
  @EnumSource
  void aCheckOutsideATransactionIsRefused(TestDatabase.Kind kind) throws Exception {
    try (Connection connection = TestDatabase.of(kind).connect()) {
      assertThatThrownBy(() -> JdbcFencing.check(connection, "r", 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("setAutoCommit(false)");
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> JdbcFencing.check(connection, "r", 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> JdbcFencing.check(connection, "r", 1, "x; DROP TABLE y"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
