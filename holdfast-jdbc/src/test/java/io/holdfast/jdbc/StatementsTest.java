package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseRequest;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of a lock in statements, as the documentation states it. */
@Timeout(300)
class StatementsTest {
  private final String tables = TestDatabase.newTables();

  private LockManager manager(TestDataSource source, JdbcOptions options) {
    return LockManager.builder("jdbc:test")
        .engine(JdbcBackendProvider.using(source, own(options)))
        .build();
  }

  private JdbcOptions own(JdbcOptions options) {
    return options.createSchema().tables(tables).timeout(TestDatabase.TIMEOUT);
  }

  /** The first words of each statement, without those that only the data source needs. */
  private static List<String> sent(TestDataSource source) {
    return source.statements().stream()
        .filter(sql -> !sql.startsWith("SET TRANSACTION") && !sql.startsWith("LISTEN"))
        .map(
            sql ->
                sql.endsWith("FOR UPDATE") || sql.contains("FOR UPDATE)")
                    ? "SELECT FOR UPDATE"
                    : sql.split(" ", 2)[0])
        .toList();
  }

  @Test
  void lockAndUnlockWithRowLocksAreThreeStatementsEach() {
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager manager = manager(source, JdbcOptions.defaults().pessimistic())) {
      DistributedLock lock = manager.getLock("k");
      source.forgetStatements();
      lock.lock();
      assertThat(sent(source))
          .as("a key that was never used")
          .startsWith("SELECT FOR UPDATE", "SELECT", "INSERT", "COMMIT");
      lock.unlock();
      source.forgetStatements();
      lock.lock();
      lock.lock();
      assertThat(lock.tryLock()).isTrue();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
      lock.unlock();
      lock.unlock();
      assertThat(sent(source))
          .filteredOn(sql -> !sql.equals("SELECT")) // a slow holder polls its row
          .containsExactly(
              "SELECT FOR UPDATE", "UPDATE", "COMMIT", "SELECT FOR UPDATE", "UPDATE", "COMMIT");
    }
  }

  @Test
  void lockAndUnlockWithVersionsAreTwoStatements() throws Exception {
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager manager = manager(source, JdbcOptions.defaults());
        LockManager other = manager(source, JdbcOptions.defaults())) {
      DistributedLock lock = manager.getLock("k");
      List<List<String>> rounds = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        source.forgetStatements();
        lock.lock();
        lock.unlock();
        rounds.add(sent(source));
      }
      // in a slow round the holder also polls its row
      assertThat(rounds).contains(List.of("UPDATE", "UPDATE"));
      lock.lock();
      assertThat(other.getLock("k").tryLock()).isFalse();
      CompletableFuture<Lease> waiting = other.getLock("k").acquireAsync();
      Patience.eventually().until(() -> lock.info().waiters().size() == 1);
      lock.unlock(); // the row has changed, so it is read
      Patience.get(waiting).close();
    }
  }

  @Test
  void aKeyThatTwoProcessesAlternateOnIsNotWrittenInVain() {
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager one = manager(source, JdbcOptions.defaults());
        LockManager other = manager(source, JdbcOptions.defaults())) {
      for (int i = 0; i < 10; i++) {
        for (LockManager each : List.of(one, other)) {
          source.forgetStatements();
          each.getLock("k").lock();
          each.getLock("k").unlock();
          if (i > 1) {
            assertThat(sent(source))
                .filteredOn(sql -> sql.equals("UPDATE"))
                .as("round %d", i)
                .hasSize(2);
          }
        }
      }
      List<List<String>> rounds = new ArrayList<>();
      for (int i = 0; i < 10; i++) { // it need not be read once only one process uses it again
        source.forgetStatements();
        one.getLock("k").lock();
        one.getLock("k").unlock();
        rounds.add(sent(source));
      }
      assertThat(rounds.get(0)).startsWith("SELECT", "UPDATE");
      assertThat(rounds).contains(List.of("UPDATE", "UPDATE"));
    }
  }

  /** Such a release is sent if a signal of the grant was faster than the answer. */
  @Test
  void aReleaseWithoutAHoldForgetsNothing() {
    List<LockBackend> backend = new ArrayList<>();
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager manager = watched(source, backend)) {
      List<List<String>> rounds = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        manager.getLock("k").lock();
        manager.getLock("k").unlock();
        Owner gone = new Owner("client", "gone");
        backend
            .get(0)
            .release(new ReleaseRequest(Resource.lock("k"), gone))
            .toCompletableFuture()
            .join();
        source.forgetStatements();
        manager.getLock("k").lock();
        rounds.add(sent(source));
        manager.getLock("k").unlock();
      }
      assertThat(rounds).contains(List.of("UPDATE")); // the row was not read before
    }
  }

  private LockManager watched(TestDataSource source, List<LockBackend> backend) {
    JdbcBackendProvider engine = JdbcBackendProvider.using(source, own(JdbcOptions.defaults()));
    LockBackendProvider watching =
        new LockBackendProvider() {
          @Override
          public boolean accepts(String url) {
            return engine.accepts(url);
          }

          @Override
          public String urlForms() {
            return engine.urlForms();
          }

          @Override
          public LockBackend open(String url, BackendContext context) {
            backend.add(engine.open(url, context));
            return backend.get(0);
          }
        };
    return LockManager.builder("jdbc:test").engine(watching).build();
  }

  @Test
  void manyLocksAreRenewedInFewStatements() {
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager manager =
            manager(source, JdbcOptions.defaults().pessimistic().poll(Duration.ofSeconds(30)))) {
      List<CompletableFuture<Lease>> coming = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        LockConfig config =
            LockConfig.builder()
                .lockKey("k" + i)
                .leaseTime(Duration.ofSeconds(60))
                .renewalTime(Duration.ofSeconds(5))
                .build();
        coming.add(manager.getLock(config).acquireAsync()); // together, and renewed together
      }
      List<Lease> held = coming.stream().map(CompletableFuture::join).toList();
      AtomicLong renewed = new AtomicLong();
      manager.addListener(
          event -> {
            if (event.kind() == LockEvent.Kind.RENEWED) {
              renewed.incrementAndGet();
            }
          });
      source.forgetStatements();
      Patience.eventually().until(() -> renewed.get() >= held.size());
      long updates = sent(source).stream().filter(sql -> sql.equals("UPDATE")).count();
      assertThat(updates).as("batches of up to a hundred").isBetween(1L, renewed.get() / 10);
      held.forEach(Lease::close);
    }
  }

  @Test
  void aHandoffBetweenProcessesOnPostgresCostsOneAcquireAndOneReleaseHoweverManyWaitersThereAre()
      throws Exception {
    for (int waiting : new int[] {1, 8}) {
      double least = Double.MAX_VALUE;
      for (int i = 0; i < 20 && least > 8; i++) { // on a busy machine some waiters poll
        least = Math.min(least, statementsPerHandOver(waiting, "k" + waiting + "-" + i));
      }
      // three to acquire, three to release
      assertThat(least).as("%d waiters", waiting).isBetween(3.0, 8.0);
    }
  }

  private double statementsPerHandOver(int waiting, String key) throws Exception {
    try (TestDataSource source =
        new TestDataSource(TestDatabase.postgres(), 100, connection -> {})) {
      List<LockManager> managers = new ArrayList<>();
      for (int i = 0; i <= waiting; i++) {
        managers.add(manager(source, JdbcOptions.defaults().pessimistic()));
      }
      Patience.eventually().until(() -> source.borrowed() == waiting + 1); // all of them listen
      DistributedLock first = managers.get(0).getLock(key);
      Lease held = first.acquire();
      List<CompletableFuture<Void>> done = new ArrayList<>();
      int turns = 16 / waiting;
      for (int i = 1; i <= waiting; i++) {
        done.add(turns(managers.get(i).getLock(key), turns));
      }
      Patience.eventually().until(() -> first.info().waiters().size() == waiting);
      source.forgetStatements();
      held.close();
      Patience.get(CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)));
      managers.forEach(LockManager::close);
      return (double) sent(source).size() / (turns * waiting);
    }
  }

  private static CompletableFuture<Void> turns(DistributedLock lock, int turns) {
    CompletableFuture<Void> one = lock.acquireAsync().thenCompose(Lease::closeAsync);
    return turns == 1 ? one : one.thenCompose(done -> turns(lock, turns - 1));
  }

  @Test
  void noStatementIsSentWithoutWaitersAndHolders() {
    try (TestDataSource source = new TestDataSource(TestDatabase.h2(), 10, connection -> {});
        LockManager manager = manager(source, JdbcOptions.defaults())) {
      manager.getLock("k").lock();
      manager.getLock("k").unlock();
      Patience.eventually() // a poll may be under way
          .pollDelay(Duration.ZERO)
          .until(
              () -> {
                source.forgetStatements();
                Thread.sleep(1000);
                return source.statements().isEmpty();
              });
    }
  }
}
