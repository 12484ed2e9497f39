package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** On the data source of an application, connections are returned in their former state. */
@Timeout(300)
class DataSourceTest {
  private static final int TURNS = 8;

  private final String tables = TestDatabase.newTables();

  private LockManager manager(DataSource source, boolean optimistic) {
    return manager(source, optimistic, TestDatabase.TIMEOUT);
  }

  private LockManager manager(DataSource source, boolean optimistic, Duration timeout) {
    JdbcOptions options = JdbcOptions.defaults().createSchema().tables(tables).timeout(timeout);
    return Patience.connect(
        LockManager.builder("jdbc:test")
            .engine(
                JdbcBackendProvider.using(source, optimistic ? options : options.pessimistic())));
  }

  @ParameterizedTest
  @EnumSource
  void readOnlyConnectionsWithoutAutoCommitAreReturnedInTheirFormerState(TestDatabase.Kind kind)
      throws Exception {
    boolean sqlite =
        kind == TestDatabase.Kind.SQLITE; // has one isolation level and a fixed read-only mode
    try (TestDataSource source =
        new TestDataSource(
            TestDatabase.of(kind),
            10,
            connection -> {
              if (!sqlite) {
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                connection.setReadOnly(true);
              }
              connection.setAutoCommit(false);
            })) {
      for (boolean optimistic : new boolean[] {false, true}) {
        try (LockManager manager = manager(source, optimistic);
            LockManager other = manager(source, optimistic)) {
          DistributedLock lock = manager.getLock("k");
          lock.lock();
          CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
          Patience.eventually().until(() -> lock.info().waiters().size() == 1);
          lock.unlock();
          Patience.get(waiting).close();
        }
      }
      Patience.eventually().until(() -> source.borrowed() == 0);
      assertThat(source.idle()).isNotEmpty();
      for (Connection connection : source.idle()) {
        if (connection.isClosed()) {
          continue; // the connection that listened
        }
        assertThat(connection.getAutoCommit()).isFalse();
        if (!sqlite) {
          assertThat(connection.isReadOnly())
              .isEqualTo(kind != TestDatabase.Kind.H2); // H2 cannot be read-only
          assertThat(connection.getTransactionIsolation())
              .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void healthCountsBorrowedConnections(TestDatabase.Kind kind) throws Exception {
    try (TestDataSource source = new TestDataSource(TestDatabase.of(kind), 10, connection -> {});
        LockManager manager = manager(source, true)) {
      manager.getLock("k").acquire().close();
      int listening = kind == TestDatabase.Kind.POSTGRES ? 1 : 0;
      Patience.eventually()
          .untilAsserted(
              () -> {
                assertThat(manager.health().connections()).isEqualTo(listening);
                assertThat(source.borrowed()).isEqualTo(listening);
              });
    }
  }

  @Test
  void aListenerThatBeginsLateIsNotAReconnection() throws Exception {
    CountDownLatch mayListen = new CountDownLatch(1);
    try (TestDataSource source =
        new TestDataSource(TestDatabase.of(TestDatabase.Kind.POSTGRES), 10, connection -> {})) {
      DataSource slowToListen = slowToListen(source, mayListen);
      try (LockManager manager = manager(slowToListen, true);
          Lease lease = manager.getLock("k").acquire()) {
        mayListen.countDown();
        Patience.eventually()
            .until(() -> source.statements().stream().anyMatch(sql -> sql.startsWith("LISTEN")));
        Patience.eventually()
            .during(Duration.ofMillis(300))
            .until(() -> lease.isValid() && manager.health().reconnects() == 0);
      } finally {
        mayListen.countDown();
      }
    }
  }

  private static DataSource slowToListen(DataSource source, CountDownLatch mayListen) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (Thread.currentThread().getName().equals("holdfast-jdbc-listen")) {
                mayListen.await();
              }
              return method.invoke(source, arguments);
            });
  }

  @ParameterizedTest
  @EnumSource
  void aPoolWithoutAFreeConnectionIsAFaultNotABusyLock(TestDatabase.Kind kind) throws Exception {
    try (TestDataSource source = new TestDataSource(TestDatabase.of(kind), 2, connection -> {});
        LockManager manager = manager(source, false, Duration.ofSeconds(2))) {
      DistributedLock lock = manager.getLock("k");
      List<Connection> taken = new ArrayList<>();
      Patience.eventually()
          .ignoreException(SQLTransientConnectionException.class) // another thread was faster
          .untilAsserted(
              () -> {
                while (source.borrowed() < 2) {
                  taken.add(source.getConnection());
                }
              });
      assertThatThrownBy(lock::tryLock)
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("in use");
      for (Connection connection : taken) {
        connection.close();
      }
      assertThat(lock.tryLock(Patience.LIMIT)).isTrue();
      lock.unlock();
    }
  }

  /** The default isolation level of the application must not make transactions of Holdfast fail. */
  @ParameterizedTest
  @CsvSource({"POSTGRES, false", "POSTGRES, true", "MARIADB, false", "MARIADB, true", "H2, false"})
  void conflictsUnderLoadAreRetriedWhateverTheIsolationLevel(
      TestDatabase.Kind kind, boolean optimistic) throws Exception {
    try (TestDataSource source =
        new TestDataSource(
            TestDatabase.of(kind),
            40,
            connection ->
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))) {
      int[] counter = {0};
      List<LockManager> managers = new ArrayList<>();
      List<OtherThread> threads = new ArrayList<>();
      List<Future<Integer>> counts = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        LockManager manager = manager(source, optimistic);
        managers.add(manager);
        for (int n = 0; n < 3; n++) {
          OtherThread thread = new OtherThread("counter-" + i + n);
          threads.add(thread);
          int permits = n;
          counts.add(
              thread.start(
                  () -> {
                    for (int turn = 0; turn < TURNS; turn++) {
                      try (Lease lease = manager.getLock("k").acquire()) {
                        counter[0]++;
                        assertThat(lease.isValid()).isTrue();
                      }
                      manager.getSemaphore("s" + permits, 2).acquire().close();
                    }
                    return TURNS;
                  }));
        }
      }
      int sum = 0;
      for (Future<Integer> count : counts) {
        sum += Patience.get(count);
      }
      threads.forEach(OtherThread::close);
      managers.forEach(LockManager::close);
      assertThat(counter[0]).isEqualTo(sum);
    }
  }
}
