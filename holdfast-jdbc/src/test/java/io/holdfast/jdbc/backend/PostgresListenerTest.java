package io.holdfast.jdbc.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The thread that listens outlives whatever goes wrong in it. */
@Timeout(300)
class PostgresListenerTest {
  private static final Settings SETTINGS =
      new Settings(false, false, "t_", Duration.ofSeconds(30), 2, Duration.ofSeconds(20), true);

  private final String channel = "test_" + UUID.randomUUID().toString().replace("-", "");
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  static Stream<Throwable> faults() {
    return Stream.of(
        new OutOfMemoryError("on purpose"),
        new StackOverflowError("on purpose"),
        new NoClassDefFoundError("on purpose"),
        new IllegalStateException("on purpose"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void listensAgainAfterAFaultWhileAMessageIsReceived(Throwable fault) throws Exception {
    try (OwnConnections source = source();
        PostgresListener listener = listener(source, "received bad", fault)) {
      await("listening");
      send(source, "bad");
      await("received bad");
      await("not listening");
      await("listening");
      assertThat(listener.isListening()).isTrue();
      send(source, "good");
      await("received good");
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void listensAgainAfterAFaultWhileItSaysThatItStops(Throwable fault) throws Exception {
    try (OwnConnections source = source();
        PostgresListener listener = listener(source, "not listening", fault)) {
      await("listening");
      terminate(source);
      await("not listening");
      await("listening");
      assertThat(listener.isListening()).isTrue();
    }
  }

  private static OwnConnections source() {
    return new OwnConnections(
        PostgresServer.shared().url(), Dialect.POSTGRESQL, SETTINGS, System::nanoTime);
  }

  /** One whose state throws that when it hears this for the first time. */
  private PostgresListener listener(ConnectionSource source, String last, Throwable fault) {
    return new PostgresListener(
        source,
        channel,
        SETTINGS,
        new PostgresListener.State() {
          private boolean thrown;

          private void tell(String what) {
            told.add(what);
            if (what.equals(last) && !thrown) {
              thrown = true;
              PostgresListenerTest.<RuntimeException>raise(fault);
            }
          }

          @Override
          public void received(String letter) {
            tell("received " + letter);
          }

          @Override
          public void listening(boolean now) {
            tell(now ? "listening" : "not listening");
          }

          @Override
          public void noEcho(String why) {
            tell("deaf");
          }

          @Override
          public boolean isAnybodyInterested() {
            return true;
          }
        });
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> void raise(Throwable fault) throws X {
    throw (X) fault;
  }

  private void await(String what) throws InterruptedException {
    assertThat(told.poll(2, TimeUnit.MINUTES)).isEqualTo(what);
  }

  private void send(ConnectionSource source, String text) throws SQLException {
    run(source, "NOTIFY " + channel + ", '" + text + "'");
  }

  /** Ends the connection that listens. */
  private void terminate(ConnectionSource source) throws SQLException {
    run(
        source,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            + " AND (query LIKE 'LISTEN "
            + channel
            + "%' OR query LIKE 'NOTIFY "
            + channel
            + "%')");
  }

  private static void run(ConnectionSource source, String sql) throws SQLException {
    Session session = source.borrow();
    boolean healthy = false;
    try {
      session.execute(sql);
      healthy = true;
    } finally {
      source.giveBack(session, healthy);
    }
  }
}
