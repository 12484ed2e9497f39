package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.StoreUnavailableException;
import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.testservers.FaultyProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** All connections are killed, or answers are lost. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class JdbcFaultsTest extends ShakyDatabases {
  private static void killAllOthers(TestDatabase database, String name) throws Exception {
    if (database.dialect() == Dialect.POSTGRESQL) {
      database.number(
          "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity"
              + " WHERE pid <> pg_backend_pid() AND datname = '"
              + name
              + "'");
      return;
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      List<Long> ids = new ArrayList<>();
      String others =
          "SELECT id FROM information_schema.processlist WHERE db = '%s' AND id <> CONNECTION_ID()";
      try (ResultSet rows = statement.executeQuery(others.formatted(name))) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      for (long id : ids) {
        try {
          statement.execute("KILL " + id);
        } catch (SQLException e) {
          assertThat(e.getErrorCode()).as("the connection is gone already").isEqualTo(1094);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, pessimistic",
    "POSTGRES, optimistic",
    "MARIADB, pessimistic",
    "MARIADB, optimistic"
  })
  void connectionsKilledByTheServerAreReplacedAndNoLockIsLost(
      TestDatabase.Kind kind, String strategy) throws Exception {
    String name = tables + "db";
    TestDatabase server = TestDatabase.of(kind);
    server.update("CREATE DATABASE " + name);
    TestDatabase database = server.called(name); // other tests use the server, too
    LockConfig renewedOften =
        LockConfig.builder()
            .lockKey("k")
            .leaseTime(Duration.ofMinutes(10))
            .renewalTime(Duration.ofMillis(300))
            .build();
    try (LockManager manager = manager(database, "strategy=" + strategy);
        LockManager other = manager(database, "strategy=" + strategy)) {
      AtomicInteger renewals = new AtomicInteger();
      manager.addListener(
          event -> {
            if (event.kind() == LockEvent.Kind.RENEWED) {
              renewals.incrementAndGet();
            }
          });
      Lease lease = manager.getLock(renewedOften).acquire();
      CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
      Patience.eventually().until(() -> manager.getLock("k").info().waiters().size() == 1);
      for (int i = 0; i < 3; i++) {
        killAllOthers(database, name);
        int before = renewals.get();
        Patience.eventually().until(() -> renewals.get() > before);
        assertThat(lease.isValid()).isTrue();
      }
      lease.close();
      Patience.get(waiting).close();
      manager.getLock("other").lock();
      manager.getLock("other").unlock();
    } finally {
      server.update("DROP DATABASE " + name);
    }
  }

  /** The server acts, and its answer is lost: the owner id makes the next try the same try. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void lostAnswersLeaveNoLockBehind(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(database);
        LockManager far = impatient(through(network, kind))) {
      far.getLock("k").lock();
      far.getLock("k").unlock();
      network.blackHoleReplies();
      assertThatThrownBy(() -> far.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      network.heal();
      Patience.eventually().pollInSameThread().until(near.getLock("k")::tryLock);
      near.getLock("k").unlock();
    }
  }

  /** A release must not rely on the remembered row alone. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aPermitWhoseGrantWasNotAnsweredIsReleasedWhileAnotherIsHeld(TestDatabase.Kind kind)
      throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(database);
        LockManager far = impatient(through(network, kind));
        Connection operator = database.connect()) {
      far.getSemaphore(lasting("s"), 3).acquire().close();
      Lease held = far.getSemaphore(lasting("s"), 3).acquire();
      operator.setAutoCommit(false);
      CompletableFuture<Lease> lost;
      try (Statement statement = operator.createStatement()) {
        statement.executeQuery("SELECT * FROM " + tables + "lock FOR UPDATE").close();
        lost = far.getSemaphore("s", 3).permits(1).noWait().acquireAsync();
        Patience.eventually().until(() -> database.waitingForRows(tables) == 1);
        network.blackHoleReplies(); // the row is written, and the answer is lost
      } finally {
        operator.rollback();
      }
      Patience.eventually().until(() -> near.getSemaphore("s", 3).availablePermits() == 1);
      network.blackHole();
      assertThatThrownBy(() -> Patience.get(lost))
          .hasCauseInstanceOf(StoreUnavailableException.class);
      network.heal();
      Patience.eventually().until(() -> near.getSemaphore("s", 3).availablePermits() == 2);
      held.close();
    }
  }

  /** The row lock ends with the transaction, which the server ends when it is idle for too long. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aClientCutOffDuringATransactionDoesNotKeepTheRow(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(database, "strategy=pessimistic");
        LockManager far = impatient(through(network, kind), "strategy=pessimistic")) {
      far.getLock("k").lock();
      far.getLock("k").unlock();
      network.blackHoleReplies(); // the row is locked, and the answer is lost
      assertThatThrownBy(() -> far.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(near.getLock("k").tryLock(Patience.LIMIT)).isTrue();
      near.getLock("k").unlock();
      network.heal();
    }
  }
}
