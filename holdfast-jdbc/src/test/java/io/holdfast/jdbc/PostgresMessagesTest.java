package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.metrics.InMemoryMetrics;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** NOTIFY wakes waiters; a missing or forged notification costs time only. */
@Timeout(300)
class PostgresMessagesTest {
  private static final int ROUNDS = 10;

  private final TestDatabase database = TestDatabase.postgres();
  private final String tables = TestDatabase.newTables();

  private LockManager manager() {
    return LockManager.create(
        database.urlWith("tables=" + tables, "schema=create", "poll=20s")
            + "&ApplicationName="
            + tables);
  }

  private LockManager manager(TestDataSource source, boolean listen) {
    JdbcOptions options =
        JdbcOptions.defaults().createSchema().tables(tables).timeout(TestDatabase.TIMEOUT);
    return LockManager.builder("jdbc:test")
        .engine(JdbcBackendProvider.using(source, options.listen(listen)))
        .build();
  }

  /** On a busy machine a waiter may poll before its notification comes, but not each time. */
  @ParameterizedTest
  @CsvSource({"true, true", "false, true", "true, false"})
  void aHandoffComesByNotificationIfTheWaiterListensAndByPollingIfNot(
      boolean holderListens, boolean waiterListens) throws Exception {
    try (TestDataSource holders = new TestDataSource(database, 10, connection -> {});
        TestDataSource waiters = new TestDataSource(database, 10, connection -> {});
        LockManager holder = manager(holders, holderListens);
        LockManager waiter = manager(waiters, waiterListens)) {
      Patience.eventually().until(() -> !waiterListens || listens(waiters));
      List<Integer> polls = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        Lease held = holder.getLock("k").acquire();
        CompletableFuture<Lease> waiting =
            waiter
                .getLock("k")
                .acquireAsync()
                .whenComplete((lease, fault) -> polls.add(waiters.statements().size()));
        Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
        waiters.forgetStatements();
        held.close();
        Patience.get(waiting).close();
      }
      if (waiterListens) {
        assertThat(polls).as("statements of the waiter before its grants").contains(0);
      } else {
        assertThat(polls)
            .as("statements of the waiter before its grants")
            .anyMatch(number -> number > 0);
      }
    }
  }

  private static boolean listens(TestDataSource source) {
    return source.statements().stream().anyMatch(sql -> sql.startsWith("LISTEN"));
  }

  private long listeners() {
    return database.number("SELECT COUNT(*) " + ofListeners());
  }

  /** The listening connections of this test. */
  private String ofListeners() {
    return "FROM pg_stat_activity WHERE query ~ '^(LISTEN|NOTIFY) holdfast' AND application_name = '"
        + tables
        + "'";
  }

  @Test
  void aForgedNotificationGrantsNothing() {
    try (LockManager holder = manager();
        LockManager waiter = manager()) {
      List<String> channels = new ArrayList<>();
      Patience.eventually().until(() -> listeners() == 2);
      database.query(
          "SELECT substring(query from 'holdfast_[0-9a-f]+') " + ofListeners(),
          row -> channels.add(row.getString(1)));
      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
      for (String channel : channels) {
        for (String text :
            List.of("granted 9999999999999999 1 30000 0 guess", "lost guess", "nonsense", "")) {
          database.query("SELECT pg_notify('" + channel + "', '" + text + "')", row -> {});
        }
      }
      Patience.eventually().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
      assertThat(held.isValid()).isTrue();
      held.close();
      waiting.orTimeout(60, TimeUnit.SECONDS).join().close();
    }
  }

  @Test
  void aReplayedNotificationGrantsNothingAndTheListenerContinues() throws SQLException {
    try (LockManager holder = manager();
        LockManager waiter = manager();
        Connection spy = database.connect();
        Statement statement = spy.createStatement()) {
      List<String> channels = new ArrayList<>();
      Patience.eventually().until(() -> listeners() == 2);
      database.query(
          "SELECT substring(query from 'holdfast_[0-9a-f]+') " + ofListeners(),
          row -> channels.add(row.getString(1)));
      for (String channel : channels) {
        statement.execute("LISTEN " + channel);
      }
      handOver(holder, waiter);
      List<String[]> captured = new ArrayList<>();
      PGConnection listening = spy.unwrap(PGConnection.class);
      Patience.eventually()
          .until(
              () -> {
                for (PGNotification each : listening.getNotifications(100)) {
                  captured.add(new String[] {each.getName(), each.getParameter()});
                }
                return captured.stream()
                    .anyMatch(notification -> notification[1].startsWith("granted "));
              });

      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
      for (String[] notification : captured) {
        for (String text :
            List.of(
                notification[1],
                notification[1].replaceFirst("\\w+", "lost"),
                notification[1] + " x")) {
          database.query("SELECT pg_notify('" + notification[0] + "', '" + text + "')", row -> {});
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
      Patience.eventually().during(Duration.ofMillis(500)).until(() -> !waiting.isDone());
      assertThat(held.isValid()).isTrue();
      assertThat(listeners()).as("the same connections listen").isEqualTo(2);
      held.close();
      Lease next = waiting.orTimeout(60, TimeUnit.SECONDS).join();
      assertThat(next.token()).isGreaterThan(held.token());
      next.close();
    }
  }

  private static void handOver(LockManager from, LockManager to) {
    Lease held = from.getLock("k").acquire();
    CompletableFuture<Lease> waiting = to.getLock("k").acquireAsync();
    Patience.eventually().until(() -> from.getLock("k").info().waiters().size() == 1);
    held.close();
    waiting.orTimeout(60, TimeUnit.SECONDS).join().close();
  }

  // ---- a listening connection that fails while the others work

  @ParameterizedTest
  @ValueSource(strings = {"the server has dropped it", "nothing comes back", "terminated"})
  void aFailedListenerIsReplacedWhileAnOwnerWaits(String fault) throws Exception {
    InMemoryMetrics metrics = new InMemoryMetrics();
    List<String> findings = new CopyOnWriteArrayList<>();
    try (FaultyProxy network = FaultyProxy.to("127.0.0.1", PostgresServer.shared().port());
        LockManager holder = manager();
        LockManager waiter = throughNetwork(network, metrics)) {
      waiter.addListener(event -> findings.add(event.kind() + " " + event.detail()));
      Patience.eventually().until(() -> listeners() == 2);
      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
      int port = harmListener(fault, network);
      Patience.eventually().until(() -> listenerPorts(network).stream().anyMatch(p -> p != port));
      if (!fault.equals("terminated")) { // the client notices a termination
        Patience.eventually()
            .until(() -> findings.stream().anyMatch(e -> e.startsWith("FINDING MESSAGES_LOST")));
        assertThat(metrics.snapshot().messagesLost()).isEqualTo(1);
      }
      held.close();
      Patience.get(waiting).close();
    }
  }

  private LockManager throughNetwork(FaultyProxy network, InMemoryMetrics metrics) {
    TestDatabase far = TestDatabase.at(PostgresServer.shared().urlAt(network.port()));
    String url = far.urlWith("tables=" + tables, "schema=create", "poll=20s");
    return LockManager.builder(url + "&ApplicationName=" + tables).metrics(metrics).build();
  }

  private int harmListener(String fault, FaultyProxy network) {
    int port = listenerPorts(network).get(0);
    switch (fault) {
      case "terminated" ->
          database.query(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = " + port,
              row -> {});
      case "nothing comes back" -> network.swallowRepliesOf(port);
      default -> network.dropServerSideOf(port);
    }
    return port;
  }

  /** The client ports, as the server sees them, of the listeners behind the network. */
  private List<Integer> listenerPorts(FaultyProxy network) {
    List<Integer> ports = new ArrayList<>();
    database.query("SELECT client_port " + ofListeners(), row -> ports.add(row.getInt(1)));
    ports.retainAll(network.portsAtServer());
    return ports;
  }
}
