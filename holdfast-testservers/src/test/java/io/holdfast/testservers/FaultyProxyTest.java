package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.testkit.OtherThread;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class FaultyProxyTest {
  private static final Duration BLINK = Duration.ofMillis(200);

  private static RedisServer redis;
  private RespClient direct;
  private FaultyProxy network;

  @BeforeAll
  static void startServer() {
    redis = RedisServer.builder().start();
  }

  @AfterAll
  static void stopServer() {
    redis.close();
  }

  @BeforeEach
  void open() {
    direct = redis.client();
    direct.call("FLUSHALL");
    network = FaultyProxy.to(redis);
  }

  @AfterEach
  void close() {
    network.close();
    await("connections closed").until(() -> network.openConnections() == 0);
    direct.close();
  }

  @Test
  void aHealthyNetworkForwardsAndCounts() {
    try (RespClient client = connect()) {
      assertThat(client.call("PING")).isEqualTo("PONG");
      assertThat(network.bytesToServer()).isEqualTo("*1\r\n$4\r\nPING\r\n".length());
      assertThat(network.bytesToClient()).isEqualTo("+PONG\r\n".length());
      String large = "x".repeat(1_000_000);
      client.call("SET", "large", large);
      assertThat(client.call("GET", "large")).isEqualTo(large);
      assertThat(network.connectionsFromClients()).isEqualTo(1);
      assertThat(network.connectionsToServer()).isEqualTo(1);
      assertThat(network.openConnections()).isEqualTo(1);
      assertThat(network.swallowedFromClient() + network.swallowedFromServer()).isZero();
    }
    await("closed by the client").until(() -> network.openConnections() == 0);
  }

  @Test
  void repliesThatAreHeldArriveWhenTheyAreDelivered() throws Exception {
    try (RespClient client = connect();
        OtherThread other = new OtherThread("asks")) {
      client.call("PING");
      network.holdReplies();
      Future<Object> reply = other.start(() -> client.call("SET", "k", "v"));
      await("executed").until(() -> "v".equals(direct.call("GET", "k")));
      assertThat(reply).isNotDone();
      network.deliverReplies();
      assertThat(OtherThread.get(reply)).isEqualTo("OK");
      assertThat(client.call("GET", "k")).isEqualTo("v");
    }
  }

  @Test
  void aConnectionClosedByTheServerIsClosedForTheClient() {
    try (RespClient client = connect()) {
      client.call("PING");
      direct.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      assertClosed(client);
    }
  }

  @Test
  void aDelayIsAddedInEachDirection() {
    try (RespClient client = connect()) {
      client.call("PING");
      network.delay(Duration.ofMillis(100));
      long start = System.nanoTime();
      client.call("PING");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(199));
    }
  }

  @Test
  void aDelayDoesNotLimitThroughput() throws IOException {
    network.delay(Duration.ofMillis(500));
    int pings = 100; // one after the other they would take 100 s
    try (RespConnection client = connection(Duration.ofSeconds(90))) {
      long start = System.nanoTime();
      for (int i = 0; i < pings; i++) {
        client.send("PING");
      }
      for (int i = 0; i < pings; i++) {
        assertThat(client.receive()).isEqualTo("PONG");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(90));
    }
  }

  @Test
  void aCutClosesCurrentConnectionsInGoodOrderAndAcceptsNewOnes() throws IOException {
    try (RespConnection before = connection(Duration.ofSeconds(10))) {
      before.call("CLIENT", "SETNAME", "before");
      network.cut();
      assertThatThrownBy(before::receive).isInstanceOf(EOFException.class);
      await("the server sees it too").until(() -> !clientsOfServer().contains("name=before"));
    }
    try (RespClient after = connect()) {
      assertThat(after.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aResetIsSeenAsOne() throws IOException {
    try (RespConnection before = connection(Duration.ofSeconds(10))) {
      before.call("CLIENT", "SETNAME", "before");
      network.reset();
      assertThatThrownBy(before::receive)
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
      await("the server sees it too").until(() -> !clientsOfServer().contains("name=before"));
    }
    try (RespClient after = connect()) {
      assertThat(after.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aRefusingNetworkClosesAndRefusesUntilHealed() {
    try (RespClient before = connect()) {
      before.call("PING");
      network.refuse();
      assertClosed(before);
    }
    assertCause(ConnectException.class, this::connect);
    int port = network.port();
    network.heal();
    assertThat(network.port()).isEqualTo(port);
    try (RespClient after = connect()) {
      assertThat(after.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void inABlackHoleNothingArrivesAndNobodyIsTold() {
    try (RespClient before = connect().timeout(BLINK)) {
      before.call("PING");
      long delivered = network.bytesToServer();
      network.blackHole();
      assertCause(SocketTimeoutException.class, () -> before.call("SET", "key", "value"));
      assertThat(network.swallowedFromClient()).isPositive();
      try (RespClient during = connect().timeout(BLINK)) {
        assertCause(SocketTimeoutException.class, () -> during.call("SET", "key", "value"));
        assertThat(network.openConnections()).isEqualTo(2);
        assertThat(network.connectionsToServer()).isEqualTo(1);
        assertThat(network.bytesToServer()).isEqualTo(delivered);
        assertThat(direct.call("EXISTS", "key")).isEqualTo(0L);

        network.heal();
        assertThat(network.openConnections()).isZero();
        assertClosed(before);
        assertClosed(during);
      }
    }
    try (RespClient after = connect()) {
      assertThat(after.call("EXISTS", "key")).isEqualTo(0L);
    }
  }

  @Test
  void aConnectionThatLostNothingOutlivesTheBlackHole() {
    try (RespClient idle = connect()) {
      idle.call("PING");
      network.blackHole();
      network.heal();
      assertThat(idle.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aBlackHoleHidesTheEndOfAConnectionUntilHealed() {
    RespClient client = connect();
    client.call("CLIENT", "SETNAME", "half-open");
    network.blackHole();
    client.close();
    assertThat(clientsOfServer()).contains("name=half-open");
    assertThat(network.openConnections()).isEqualTo(1);
    network.heal();
    await("gone when healed").until(() -> !clientsOfServer().contains("name=half-open"));
  }

  @Test
  void aBlackHoleSwallowsWhatTheServerSays() {
    try (RespClient client = RespClient.connect(network.url());
        RedisSubscription channel = client.subscribe("news")) {
      network.blackHole();
      assertThat(direct.call("PUBLISH", "news", "lost")).isEqualTo(1L);
      await("swallowed").until(() -> network.swallowedFromServer() > 0);
      assertThat(channel.messages()).isEmpty();
    }
  }

  @Test
  void bytesUnderWayWhenTheBlackHoleOpensDoNotArrive() throws IOException {
    try (RespConnection client = connection(Duration.ofSeconds(10))) {
      client.call("PING");
      long delivered = network.bytesToServer();
      network.delay(Duration.ofSeconds(2));
      client.send("SET", "key", "value");
      await("under way")
          .pollInterval(Duration.ofMillis(5))
          .until(() -> network.receivedFromClient() > delivered);
      network.blackHole();
      await("swallowed").until(() -> network.swallowedFromClient() > 0);
      assertThat(network.bytesToServer()).isEqualTo(delivered);
      assertThat(direct.call("EXISTS", "key")).isEqualTo(0L);
    }
  }

  @Test
  void withoutRepliesARequestIsExecutedAndNobodyHearsOfIt() {
    try (RespClient idle = connect();
        RespClient client = connect().timeout(BLINK)) {
      idle.call("PING");
      client.call("PING");
      network.blackHoleReplies();
      assertCause(SocketTimeoutException.class, () -> client.call("SET", "key", "value"));
      assertThat(network.swallowedFromServer()).isEqualTo("+OK\r\n".length());
      assertThat(direct.call("GET", "key")).isEqualTo("value");
      try (RespClient during = connect().timeout(BLINK)) {
        assertCause(SocketTimeoutException.class, () -> during.call("SET", "other", "value"));
        assertThat(direct.call("GET", "other")).isEqualTo("value");
      }
      network.heal();
      assertClosed(client);
      assertThat(idle.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aConnectionThatLostRequestsCarriesNoneWhenOnlyRepliesAreSwallowed() {
    try (RespClient client = connect().timeout(BLINK)) {
      client.call("PING");
      network.blackHole();
      assertCause(SocketTimeoutException.class, () -> client.call("SET", "key", "value"));
      network.blackHoleReplies();
      assertThat(network.openConnections()).isZero();
      assertClosed(client);
    }
  }

  @Test
  void aBlackHoleIsReachedFromARefusingNetwork() {
    network.refuse();
    network.blackHole();
    try (RespClient client = connect().timeout(BLINK)) {
      assertCause(SocketTimeoutException.class, () -> client.call("PING"));
    }
  }

  @Test
  void aServerThatIsDownEndsTheConnection() {
    try (RedisServer other = RedisServer.builder().start();
        FaultyProxy toOther = FaultyProxy.to(other)) {
      other.stop();
      assertThatThrownBy(
              () -> {
                try (RespClient client = RespClient.connect(toOther.url())) {
                  client.call("PING");
                }
              })
          .isInstanceOf(UncheckedIOException.class);
      other.start();
      try (RespClient client = RespClient.connect(toOther.url())) {
        assertThat(client.call("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void aClosedProxyRefusesAndCannotBeHealed() {
    RespClient client = connect();
    client.call("PING");
    network.close();
    assertClosed(client);
    client.close();
    assertCause(ConnectException.class, this::connect);
    assertThatThrownBy(network::heal).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aNegativeDelayIsRejected() {
    assertThatThrownBy(() -> network.delay(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private RespClient connect() {
    return RespClient.connect(network.url());
  }

  private RespConnection connection(Duration limit) throws IOException {
    return new RespAddress("127.0.0.1", network.port()).open(limit);
  }

  private String clientsOfServer() {
    return String.valueOf(direct.call("CLIENT", "LIST"));
  }

  /**
   * Whether writing or reading fails, and how, depends on which the news of the end meets first.
   */
  private static void assertClosed(RespClient client) {
    assertThatThrownBy(() -> client.call("PING"))
        .isInstanceOf(UncheckedIOException.class)
        .cause()
        .isInstanceOfAny(EOFException.class, SocketException.class);
  }

  private static void assertCause(Class<? extends IOException> cause, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(UncheckedIOException.class).hasCauseInstanceOf(cause);
  }
}
