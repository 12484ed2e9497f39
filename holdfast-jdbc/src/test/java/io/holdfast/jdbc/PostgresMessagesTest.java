package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** NOTIFY wakes who waits; without it, or with a forged one, nothing but speed is lost. */
@Isolated
@Timeout(60)
class PostgresMessagesTest {
  private static final int ROUNDS = 10;

  private final TestDatabase database = TestDatabase.postgres();
  private final String tables = TestDatabase.newTables();

  private LockManager manager(boolean listen) {
    return LockManager.create(
        database.urlWith("tables=" + tables, "schema=create", "listen=" + listen, "poll=20s")
            + "&ApplicationName="
            + tables);
  }

  @ParameterizedTest
  @CsvSource({"true, true", "false, true", "true, false"})
  void aHandOverComesByMessageIfTheWaiterListensAndByItselfIfNot(
      boolean holderListens, boolean waiterListens) {
    try (LockManager holder = manager(holderListens);
        LockManager waiter = manager(waiterListens)) {
      int expected = (holderListens ? 1 : 0) + (waiterListens ? 1 : 0);
      Awaitility.await().until(() -> listeners() == expected);
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        Lease held = holder.getLock("k").acquire();
        CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
        Awaitility.await().until(() -> holder.getLock("k").info().waiters().size() == 1);
        long start = System.nanoTime();
        held.close();
        waiting.orTimeout(20, TimeUnit.SECONDS).join().close();
        millis.add((System.nanoTime() - start) / 1e6);
      }
      millis.sort(null);
      if (waiterListens) {
        assertThat(millis.get(ROUNDS / 2)).as("median of %s", millis).isLessThan(300);
      }
    }
  }

  private long listeners() {
    return database.number("SELECT COUNT(*) " + ofListeners());
  }

  /** Those of this test. */
  private String ofListeners() {
    return "FROM pg_stat_activity WHERE query LIKE 'LISTEN holdfast%' AND application_name = '"
        + tables
        + "'";
  }

  @Test
  void aNotificationThatSomebodyElseSendsGrantsNothing() {
    try (LockManager holder = manager(true);
        LockManager waiter = manager(true)) {
      List<String> channels = new ArrayList<>();
      Awaitility.await().until(() -> listeners() == 2);
      database.query(
          "SELECT substring(query from 'holdfast_[0-9a-f]+') " + ofListeners(),
          row -> channels.add(row.getString(1)));
      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Awaitility.await().until(() -> holder.getLock("k").info().waiters().size() == 1);
      for (String channel : channels) {
        for (String text :
            List.of("granted 9999999999999999 1 30000 0 guess", "lost guess", "nonsense", "")) {
          database.query("SELECT pg_notify('" + channel + "', '" + text + "')", row -> {});
        }
      }
      Awaitility.await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
      assertThat(held.isValid()).isTrue();
      held.close();
      waiting.orTimeout(20, TimeUnit.SECONDS).join().close();
    }
  }

  @Test
  void aNotificationThatIsReplayedGrantsNothingAndTheListenerLivesOn() throws SQLException {
    try (LockManager holder = manager(true);
        LockManager waiter = manager(true);
        Connection spy = database.connect();
        Statement statement = spy.createStatement()) {
      List<String> channels = new ArrayList<>();
      Awaitility.await().until(() -> listeners() == 2);
      database.query(
          "SELECT substring(query from 'holdfast_[0-9a-f]+') " + ofListeners(),
          row -> channels.add(row.getString(1)));
      for (String channel : channels) {
        statement.execute("LISTEN " + channel);
      }
      handOver(holder, waiter);
      List<String[]> overheard = new ArrayList<>();
      for (PGNotification each : spy.unwrap(PGConnection.class).getNotifications(5000)) {
        overheard.add(new String[] {each.getName(), each.getParameter()});
      }
      assertThat(overheard).anyMatch(letter -> letter[1].startsWith("granted "));

      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Awaitility.await().until(() -> holder.getLock("k").info().waiters().size() == 1);
      for (String[] letter : overheard) {
        for (String text :
            List.of(letter[1], letter[1].replaceFirst("\\w+", "lost"), letter[1] + " x")) {
          database.query("SELECT pg_notify('" + letter[0] + "', '" + text + "')", row -> {});
        }
      }
      for (String channel : channels) {
        for (String text :
            List.of(
                "granted 0 0 0 0 guess",
                "granted -1 1 1 1 ",
                "granted 9223372036854775807 9223372036854775807 9223372036854775807 1 guess",
                "wanted ",
                "changed ",
                "lost ",
                "lost " + "x".repeat(7000))) {
          database.query("SELECT pg_notify('" + channel + "', '" + text + "')", row -> {});
        }
      }
      Awaitility.await().during(Duration.ofMillis(500)).until(() -> !waiting.isDone());
      assertThat(held.isValid()).isTrue();
      assertThat(listeners()).as("the same connections listen").isEqualTo(2);
      held.close();
      Lease next = waiting.orTimeout(20, TimeUnit.SECONDS).join();
      assertThat(next.token()).isGreaterThan(held.token());
      next.close();
    }
  }

  private static void handOver(LockManager from, LockManager to) {
    Lease held = from.getLock("k").acquire();
    CompletableFuture<Lease> waiting = to.getLock("k").acquireAsync();
    Awaitility.await().until(() -> from.getLock("k").info().waiters().size() == 1);
    held.close();
    waiting.orTimeout(20, TimeUnit.SECONDS).join().close();
  }
}
