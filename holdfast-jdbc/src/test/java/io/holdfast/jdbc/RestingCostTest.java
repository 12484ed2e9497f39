package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a manager with default settings sends to PostgreSQL in a minute in which the application
 * does nothing: statements, commits not counted. The minute is one of a clock that the test moves.
 * The listener lives in real time and is not counted: it sends a message to itself when it has
 * heard nothing for a second, or for five while nobody holds or waits. The counts are printed, for
 * the docs.
 */
@Timeout(600)
class RestingCostTest {
  private static final int SECONDS = 60;
  private static final Duration STEP = Duration.ofMillis(200);
  private static final int PROBES = 12; // a thousand locks are ten batches, one after the other

  private final TestDatabase database = TestDatabase.postgres();
  private final String tables = TestDatabase.newTables();
  private final FakeClock clock = new FakeClock();

  /** With one connection, so that what comes later is answered later. */
  private LockManager manager(TestDataSource source, FakeClock time) {
    JdbcOptions options =
        JdbcOptions.defaults()
            .createSchema()
            .tables(tables)
            .connections(1)
            .timeout(TestDatabase.TIMEOUT);
    return time.drive(LockManager.builder("jdbc:test"))
        .engine(JdbcBackendProvider.using(source, options))
        .build();
  }

  private static List<String> counted(TestDataSource source) {
    return source.statements().stream()
        .filter(sql -> !sql.matches("(?s)(COMMIT|ROLLBACK|SET |LISTEN |NOTIFY ).*"))
        .toList();
  }

  private static void answered(LockManager manager) {
    for (int i = 0; i < PROBES; i++) {
      assertThat(manager.getLock("probe").info().holders()).isEmpty();
    }
  }

  private int statementsOfAMinute(String what, TestDataSource source, LockManager manager) {
    Patience.eventually()
        .until(() -> source.statements().stream().anyMatch(sql -> sql.startsWith("LISTEN")));
    answered(manager);
    source.forgetStatements();
    answered(manager);
    int ofProbes = counted(source).size();
    source.forgetStatements();
    int steps = 0;
    for (Duration passed = Duration.ZERO;
        passed.toSeconds() < SECONDS;
        passed = passed.plus(STEP)) {
      clock.advance(STEP);
      answered(manager);
      steps++;
    }
    int statements = counted(source).size() - steps * ofProbes;
    System.out.println(what + ": statements in " + SECONDS + " s: " + statements);
    return statements;
  }

  private static List<Lease> hold(LockManager holder, int number) {
    List<CompletableFuture<Lease>> asked = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      asked.add(holder.getLock("k" + i).acquireAsync());
    }
    return asked.stream().map(CompletableFuture::join).toList();
  }

  @Test
  void anIdleManager() throws Exception {
    try (TestDataSource source = new TestDataSource(database, 3, connection -> {});
        LockManager manager = manager(source, clock)) {
      assertThat(statementsOfAMinute("idle", source, manager)).isLessThan(20);
    }
  }

  @Test
  void aThousandHeldLocks() throws Exception {
    try (TestDataSource source = new TestDataSource(database, 3, connection -> {});
        LockManager manager = manager(source, clock)) {
      List<Lease> held = hold(manager, 1000);
      assertThat(statementsOfAMinute("1,000 held locks", source, manager)).isLessThan(600);
      assertThat(held).allMatch(Lease::isValid);
    }
  }

  @Test
  void whoWaitsForOneLock() throws Exception {
    try (TestDataSource source = new TestDataSource(database, 3, connection -> {});
        TestDataSource elsewhere = new TestDataSource(database, 3, connection -> {});
        LockManager manager = manager(source, clock);
        LockManager others = manager(elsewhere, new FakeClock())) {
      hold(others, 1);
      CompletableFuture<Lease> waiting = manager.getLock("k0").acquireAsync();
      Patience.eventually().until(() -> !others.getLock("k0").info().waiters().isEmpty());
      assertThat(statementsOfAMinute("waiting for 1 lock", source, manager)).isLessThan(400);
      assertThat(waiting).isNotDone();
    }
  }
}
