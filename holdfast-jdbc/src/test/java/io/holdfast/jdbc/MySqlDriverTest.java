package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MySQL's own driver on MariaDB: it counts rows and sets time-outs in other ways. */
@Timeout(300)
class MySqlDriverTest {
  @ParameterizedTest
  @CsvSource({"pessimistic, ''", "optimistic, ''", "optimistic, &useAffectedRows=true"})
  void locksAreAcquiredAwaitedAndHandedOver(String strategy, String more) throws Exception {
    String tables = TestDatabase.newTables();
    TestDatabase database =
        TestDatabase.at(
            TestDatabase.mariaDb().url().replace("jdbc:mariadb:", "jdbc:mysql:") + more);
    String url = database.urlWith("schema=create", "tables=" + tables, "strategy=" + strategy);
    try (LockManager manager = LockManager.create(url);
        LockManager other = LockManager.create(url)) {
      for (int i = 0; i < 5; i++) {
        DistributedLock lock = manager.getLock("k");
        lock.lock();
        long token = lock.fencingToken();
        assertThat(other.getLock("k").tryLock()).isFalse();
        CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
        Patience.eventually().until(() -> lock.info().waiters().size() == 1);
        lock.unlock();
        try (Lease lease = Patience.get(waiting)) {
          assertThat(lease.token()).isGreaterThan(token);
        }
        DistributedLock multi = manager.getMultiLock("a", "b", "c");
        multi.lock();
        multi.unlock();
      }
    }
  }
}
