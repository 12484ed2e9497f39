package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testkit.OtherThread;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Creating the tables, their version, and deleting old rows. */
@Timeout(300)
class JdbcSchemaTest {
  private final String tables = TestDatabase.newTables();

  @ParameterizedTest
  @EnumSource
  void theMessageTellsHowToCreateMissingTables(TestDatabase.Kind kind) {
    TestDatabase database = TestDatabase.of(kind);
    String url = database.urlWith("tables=" + tables, "schema=check");
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("holdfast.schema=create")
        .hasMessageContaining(".sql")
        .hasMessageContaining(tables + "lock");
  }

  @ParameterizedTest
  @EnumSource
  void manyProcessesThatStartTogetherCreateTheTables(TestDatabase.Kind kind) {
    TestDatabase database = TestDatabase.of(kind);
    String url = database.urlWith("tables=" + tables, "schema=create");
    List<OtherThread> threads = new ArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      OtherThread thread = new OtherThread("starter-" + i);
      threads.add(thread);
      all.add(
          thread.startRun(
              () -> {
                try (LockManager manager = LockManager.create(url)) {
                  manager.getLock("k").lock();
                  manager.getLock("k").unlock();
                }
              }));
    }
    all.forEach(OtherThread::get);
    threads.forEach(OtherThread::close);
    assertThat(database.number("SELECT COUNT(*) FROM " + tables + "schema")).isEqualTo(1);
    assertThat(database.number("SELECT COUNT(*) FROM " + tables + "lock")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void tablesOfAnotherVersionAreNotTouched(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (Connection connection = database.connect()) {
      JdbcSchema schema = JdbcSchema.of(connection, tables);
      schema.create(connection);
      schema.create(connection);
      assertThat(schema.version()).isEqualTo(1);
      assertThat(schema.statements()).hasSize(4).allMatch(sql -> sql.contains(tables));
    }
    database.update("UPDATE " + tables + "schema SET version = 2");
    assertThatThrownBy(() -> LockManager.create(database.urlWith("tables=" + tables)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("version 2")
        .hasMessageContaining("newer");
    database.update("UPDATE " + tables + "schema SET version = 0");
    database.update("UPDATE " + tables + "schema SET version = -1");
    assertThatThrownBy(() -> LockManager.create(database.urlWith("tables=" + tables)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("migrate");
  }

  @Test
  void theMessageListsTheMissingPermissions() throws Exception {
    TestDatabase database = TestDatabase.postgres();
    try (Connection connection = database.connect()) {
      JdbcSchema.of(connection, tables).create(connection);
    }
    String user = "u" + tables;
    database.update("CREATE ROLE " + user + " LOGIN");
    String url =
        database.url().replace("user=postgres", "user=" + user) + "&holdfast.tables=" + tables;
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("lacks a right");
    database.update("GRANT SELECT ON " + tables + "schema TO " + user);
    try (LockManager manager = LockManager.create(url)) {
      assertThatThrownBy(() -> manager.getLock("k").lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("SELECT, INSERT and UPDATE");
      database.update("GRANT SELECT, INSERT, UPDATE ON " + tables + "lock TO " + user);
      manager.getLock("k").lock();
      manager.getLock("k").unlock();
    }
  }

  @Test
  void tablesCanBeInASchemaOfTheirOwn() {
    TestDatabase database = TestDatabase.postgres();
    database.update("CREATE SCHEMA s" + tables);
    String url = database.urlWith("schema=create", "tables=s" + tables + ".holdfast_");
    try (LockManager manager = LockManager.create(url)) {
      manager.getLock("k").lock();
      assertThat(database.number("SELECT COUNT(*) FROM s" + tables + ".holdfast_lock"))
          .isEqualTo(1);
      manager.getLock("k").unlock();
    }
  }

  @ParameterizedTest
  @EnumSource
  void unusedRowsAreDeletedAndTokensStillGrow(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    String url = database.urlWith("tables=" + tables, "schema=create");
    try (LockManager manager = LockManager.create(url);
        Connection connection = database.connect()) {
      long before = tokenOf(manager, "old");
      Lease held = manager.getLock("held").acquire();
      manager.getSemaphore("changed", 1).setPermits(2);
      tokenOf(manager, "fresh");
      long hour = Duration.ofHours(1).toNanos() / 1000;
      database.update(
          "UPDATE " + tables + "lock SET used_micros = used_micros - ? WHERE name <> 'fresh'",
          hour);
      JdbcSchema schema = JdbcSchema.of(connection, tables);
      assertThat(schema.removeUnused(connection, Duration.ofHours(2))).isZero();
      assertThat(schema.removeUnused(connection, Duration.ofMinutes(30))).isEqualTo(1);
      assertThat(database.number("SELECT COUNT(*) FROM " + tables + "lock WHERE name = 'old'"))
          .isZero();
      assertThat(tokenOf(manager, "old")).isGreaterThan(before);
      try (LockManager stranger = LockManager.create(url)) {
        assertThat(tokenOf(stranger, "old")).isGreaterThan(before);
      }
      assertThat(held.isValid()).isTrue();
      held.close();
      assertThat(manager.getSemaphore("changed", 1).permits()).isEqualTo(2);
      assertThatThrownBy(() -> schema.removeUnused(connection, Duration.ofSeconds(1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static long tokenOf(LockManager manager, String key) {
    try (Lease lease = manager.getLock(key).acquire()) {
      return lease.token();
    }
  }

  @Test
  void aDamagedRowIsReportedAndHarmsNoOtherKey() {
    TestDatabase database = TestDatabase.h2();
    String url = database.urlWith("tables=" + tables, "schema=create");
    try (LockManager manager = LockManager.create(url)) {
      manager.getLock("broken").lock();
      manager.getLock("broken").unlock();
      database.update("UPDATE " + tables + "lock SET state = '1;what is this?'");
      assertThatThrownBy(() -> manager.getLock("broken").lock())
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("by hand");
      manager.getLock("whole").lock();
      manager.getLock("whole").unlock();
      database.update("UPDATE " + tables + "lock SET state = ''");
      manager.getLock("broken").lock();
      manager.getLock("broken").unlock();
    }
  }
}
