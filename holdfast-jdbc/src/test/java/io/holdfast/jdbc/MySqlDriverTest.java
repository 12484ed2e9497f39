package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MySQL's own driver, which counts rows and takes time-outs in other ways; on MariaDB. */
@Timeout(120)
class MySqlDriverTest {
  @ParameterizedTest
  @CsvSource({"pessimistic, ''", "optimistic, ''", "optimistic, &useAffectedRows=true"})
  void locksAreTakenWaitedForAndHandedOver(String strategy, String more) {
    String tables = TestDatabase.newTables();
    TestDatabase database =
        TestDatabase.at(
            TestDatabase.mariaDb().url().replace("jdbc:mariadb:", "jdbc:mysql:") + more);
    String url = database.urlWith("schema=create", "tables=" + tables, "strategy=" + strategy);
    try (LockManager manager = LockManager.create(url);
        LockManager other = LockManager.create(url)) {
      for (int i = 0; i < 10; i++) {
        DistributedLock lock = manager.getLock("k");
        lock.lock();
        long token = lock.fencingToken();
        assertThat(other.getLock("k").tryLock()).isFalse();
        CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
        Awaitility.await().until(() -> lock.info().waiters().size() == 1);
        lock.unlock();
        try (Lease lease = waiting.orTimeout(20, TimeUnit.SECONDS).join()) {
          assertThat(lease.token()).isGreaterThan(token);
        }
        DistributedLock multi = manager.getMultiLock("a", "b", "c");
        multi.lock();
        multi.unlock();
      }
    }
  }
}
