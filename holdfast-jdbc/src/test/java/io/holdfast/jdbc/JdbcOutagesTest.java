package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLoss;
import io.holdfast.LockManager;
import io.holdfast.LossReason;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cut and silent networks, stopped servers, and rows locked by others. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class JdbcOutagesTest extends ShakyDatabases {
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aWaiterWhoseConnectionsWereCutGetsItsTurn(TestDatabase.Kind kind) throws Exception {
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = near(kind);
        LockManager far = impatient(through(network, kind))) {
      DistributedLock lock = near.getLock("k");
      lock.lock();
      CompletableFuture<Lease> waiting = far.getLock("k").acquireAsync();
      Patience.eventually()
          .ignoreException(StoreUnavailableException.class)
          .until(() -> lock.info().waiters().size() == 1);
      network.reset();
      network.refuse();
      Patience.eventually().during(Duration.ofMillis(700)).until(() -> !waiting.isDone());
      network.heal();
      lock.unlock();
      Patience.get(waiting).close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aDeadNetworkIsAFaultAndItsHolderLearnsOfTheLossBeforeTheNextGrant(TestDatabase.Kind kind)
      throws Exception {
    try (FaultyProxy network = proxyTo(kind);
        LockManager near = near(kind);
        LockManager far = impatient(through(network, kind))) {
      LockConfig quick = LockConfig.builder().lockKey("k").leaseTime(Duration.ofSeconds(4)).build();
      BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();
      Lease lease = far.getLock(quick).acquire().onLost(losses::add);
      network.blackHole();
      try (Lease next = near.getLock("k").acquire()) {
        assertThat(lease.isValid()).isFalse();
        assertThat(next.token()).isGreaterThan(lease.token());
        LockLoss loss = losses.poll(60, TimeUnit.SECONDS);
        assertThat(loss).isNotNull();
        assertThat(loss.reason()).isEqualTo(LossReason.NOT_RENEWED);
      }
      // tryLock() sends nothing either until the store is back
      assertThatThrownBy(() -> far.getLock(lasting("other")).tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      network.heal();
      Patience.eventually()
          .pollInSameThread()
          .ignoreExceptions()
          .until(() -> far.getLock("other").tryLock());
      far.getLock("other").unlock();
    }
  }

  @Test
  void healthCountsOpenConnectionsAndNoneWithoutAServer() throws Exception {
    try (PostgresServer server = PostgresServer.start(Map.of());
        LockManager manager = impatient(TestDatabase.at(server.url()), "connections=1")) {
      manager.getLock("k").acquire().close();
      Patience.eventually()
          .until(
              () -> manager.health().connections() == 2); // one for requests and one that listens
      server.stop();
      assertThatThrownBy(() -> manager.getLock("k").tryLock())
          .isInstanceOf(StoreUnavailableException.class);
      Patience.eventually().until(() -> manager.health().connections() == 0);
      server.start();
      Patience.eventually()
          .ignoreExceptions()
          .until(() -> manager.getLock("k").info().holders().isEmpty());
      Patience.eventually().until(() -> manager.health().connections() == 2);
    }
  }

  @Test
  void aRestartedServerKeepsLocksAndWaiters() throws Exception {
    try (PostgresServer server = PostgresServer.start(Map.of("fsync", "on"))) {
      TestDatabase database = TestDatabase.at(server.url());
      try (LockManager manager = impatient(database);
          LockManager other = impatient(database)) {
        LockConfig config = lasting("k").toBuilder().renewalTime(Duration.ofMillis(300)).build();
        Lease lease = manager.getLock(config).acquire();
        CompletableFuture<Lease> waiting = other.getLock(lasting("k")).acquireAsync();
        Patience.eventually()
            .ignoreException(StoreUnavailableException.class)
            .until(() -> manager.getLock("k").info().waiters().size() == 1);
        server.stop();
        assertThatThrownBy(() -> other.getLock("free").tryLock())
            .isInstanceOf(StoreUnavailableException.class);
        server.start();
        assertThat(lease.isValid()).isTrue();
        Patience.eventually()
            .ignoreExceptions()
            .until(() -> manager.getLock("k").info().waiters().size() == 1);
        assertThat(waiting).isNotDone();
        lease.close();
        Patience.get(waiting).close();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRES, pessimistic", "POSTGRES, optimistic", "MARIADB, pessimistic"})
  void aRowLockedByAnotherClientIsAFaultAndDelaysNoOtherKey(TestDatabase.Kind kind, String strategy)
      throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (LockManager manager = impatient(database, "strategy=" + strategy);
        Connection operator = database.connect()) {
      manager.getLock("k").lock();
      manager.getLock("k").unlock();
      operator.setAutoCommit(false);
      try (Statement statement = operator.createStatement()) {
        String[] id = {""};
        database.query("SELECT id FROM " + tables + "lock", row -> id[0] = row.getString(1));
        String row = "SELECT * FROM %slock WHERE id = '%s' FOR UPDATE".formatted(tables, id[0]);
        statement.executeQuery(row).close();
      }
      CompletableFuture<Lease> stuck = manager.getLock("k").noWait().acquireAsync();
      manager.getLock("another").lock();
      manager.getLock("another").unlock();
      assertThatThrownBy(() -> Patience.get(stuck))
          .hasCauseInstanceOf(StoreUnavailableException.class);
      operator.rollback();
      assertThat(manager.getLock("k").tryLock(Patience.LIMIT)).isTrue();
      manager.getLock("k").unlock();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void aTransactionIsRepeatedAfterADeadlock(TestDatabase.Kind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind);
    try (LockManager manager = manager(database, "strategy=pessimistic");
        Connection stranger = database.connect();
        Statement statement = stranger.createStatement()) {
      DistributedLock multi = manager.getMultiLock("a", "b");
      multi.lock();
      multi.unlock();
      List<String> inOrder = new ArrayList<>();
      String names = "SELECT name FROM " + tables + "lock ORDER BY id";
      database.query(names, row -> inOrder.add(row.getString(1)));
      String lockRow = "SELECT id FROM " + tables + "lock WHERE name = '%s' FOR UPDATE";
      stranger.setAutoCommit(false);
      // the victim of a deadlock is the smaller or the later transaction: be neither
      statement.execute("CREATE TEMPORARY TABLE weight" + tables + " (n INT)");
      for (int i = 0; i < 50; i++) {
        statement.execute("INSERT INTO weight" + tables + " VALUES (1)");
      }
      statement.executeQuery(lockRow.formatted(inOrder.get(1))).close();
      CompletableFuture<Lease> all =
          multi.acquireAsync(); // has locked the first row and waits for this one
      Patience.eventually().until(() -> database.waitingForRows(tables) == 1);
      try {
        statement.executeQuery(lockRow.formatted(inOrder.get(0))).close();
      } catch (SQLException e) {
        assertThat(e.getSQLState()).isIn("40P01", "40001"); // the other client was the victim
      }
      stranger.rollback();
      Patience.get(all).close();
    }
  }
}
