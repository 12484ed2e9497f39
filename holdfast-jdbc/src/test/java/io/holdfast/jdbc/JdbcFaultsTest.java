package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Connections that are killed, all of them, and answers that are lost while others must come in
 * time: beside nothing else.
 */
@Isolated
@Timeout(120)
class JdbcFaultsTest extends ShakyDatabases {
  private static void killAllConnections(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    if (kind == TestDatabase.Kind.POSTGRES) {
      database.number(
          "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity"
              + " WHERE pid <> pg_backend_pid() AND datname IS NOT NULL");
      return;
    }
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      List<Long> ids = new ArrayList<>();
      String others =
          "SELECT id FROM information_schema.processlist WHERE db = 'test' AND id <> CONNECTION_ID()";
      try (ResultSet rows = statement.executeQuery(others)) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      for (long id : ids) {
        try {
          statement.execute("KILL " + id);
        } catch (SQLException e) {
          assertThat(e.getErrorCode()).as("gone already").isEqualTo(1094);
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
  void connectionsThatTheServerKillsAreReplacedAndNothingIsLost(
      TestDatabase.Kind kind, String strategy) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (LockManager manager = manager(database, "strategy=" + strategy);
        LockManager other = manager(database, "strategy=" + strategy)) {
      Lease lease = manager.getLock(renewedOften("k")).acquire();
      CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> manager.getLock("k").info().waiters().size() == 1);
      for (int i = 0; i < 3; i++) {
        killAllConnections(kind);
        Awaitility.await().pollDelay(Duration.ofMillis(400)).until(lease::isValid);
      }
      lease.close();
      waiting.get(20, TimeUnit.SECONDS).close();
      manager.getLock("other").lock();
      manager.getLock("other").unlock();
    }
  }

  /** The server acts and nobody hears of it: the owner id makes the next try the same try. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void lostAnswersNeverLeaveALockBehind(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(database);
        LockManager far = manager(through(network, kind))) {
      far.getLock("k").lock();
      far.getLock("k").unlock();
      network.blackHoleReplies();
      assertThatThrownBy(() -> far.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      network.heal();
      Awaitility.await().pollInSameThread().atMost(PATIENCE).until(near.getLock("k")::tryLock);
      near.getLock("k").unlock();
    }
  }

  /** A release must not believe what this process remembers of the row instead of the row. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aPermitWhoseGrantWasNeverHeardOfIsGivenBackBesideOneThatIsHeld(TestDatabase.Kind kind)
      throws Exception {
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(TestDatabase.of(kind));
        LockManager far = manager(through(network, kind))) {
      far.getSemaphore("s", 3).acquire().close();
      Lease held = far.getSemaphore("s", 3).acquire();
      network.delay(
          Duration.ofMillis(400)); // the row is read in time, the answer to writing is not
      CompletableFuture<Lease> lost = far.getSemaphore("s", 3).acquireAsync(1, Duration.ZERO);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> near.getSemaphore("s", 3).availablePermits() == 1);
      network.blackHole();
      assertThatThrownBy(() -> lost.get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StoreUnavailableException.class);
      network.heal();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> near.getSemaphore("s", 3).availablePermits() == 2);
      held.close();
    }
  }

  /** Its row lock ends with its transaction, which the server ends when nothing comes any more. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void whoIsCutOffInTheMiddleOfATransactionDoesNotKeepTheRow(TestDatabase.Kind kind)
      throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = manager(database, "strategy=pessimistic");
        LockManager far = manager(through(network, kind), "strategy=pessimistic")) {
      far.getLock("k").lock();
      far.getLock("k").unlock();
      network.blackHoleReplies(); // the row is locked, and the answer that it is never comes
      assertThatThrownBy(() -> far.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(near.getLock("k").tryLock(Duration.ofSeconds(30))).isTrue();
      near.getLock("k").unlock();
      network.heal();
    }
  }
}
