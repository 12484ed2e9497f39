package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.holdfast.testservers.TestCertificate;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.util.Throwables;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each cause of a missing connection has a sentence and a hint of its own. */
@Timeout(240)
class RedisConnectFaultsTest {
  private static final String SECRET = "s3cr3t";

  /** A time-out for each step of connecting that a starved process does not reach. */
  private static final String SOON = "?timeout=3s";

  private static TestCertificate certificate;
  private static RedisServer tls;
  private static RedisServer locked;

  private final String key = "connect:" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    certificate = TestCertificate.forLoopback();
    tls = RedisServer.builder().tls(certificate).start();
    locked =
        RedisServer.builder()
            .requirePass(SECRET)
            .aclUser("few on >" + SECRET + " ~* &* +@all -evalsha")
            .aclUser("deaf on >" + SECRET + " ~* resetchannels +@all")
            .start();
  }

  @AfterAll
  static void stop() {
    locked.close();
    tls.close();
    certificate.close();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertUnavailable(String url) {
    return assertThatThrownBy(() -> LockManager.create(url))
        .isExactlyInstanceOf(StoreUnavailableException.class);
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(String url) {
    return assertThatThrownBy(() -> LockManager.create(url))
        .isExactlyInstanceOf(StoreException.class);
  }

  // ---- the way to the server

  @Test
  void anUnknownHost() {
    assertUnavailable(patient("redis://no-such-host.invalid"))
        .hasMessageContainingAll(
            "no-such-host.invalid:6379", "the host 'no-such-host.invalid' is not known")
        .hasMessageNotContaining("password");
  }

  @Test
  void aServerThatIsDown() {
    try (RedisServer down = RedisServer.builder().start()) {
      down.stop();
      assertUnavailable(patient(down.url()))
          .hasMessageContainingAll("127.0.0.1:" + down.port(), "nothing listens", "refused")
          .hasMessageNotContaining("password");
    }
  }

  @Test
  void aServerThatDoesNotAnswer() {
    try (RedisServer halted = RedisServer.builder().start()) {
      halted.pause();
      assertUnavailable(halted.url() + SOON)
          .hasMessageContainingAll("127.0.0.1:" + halted.port(), "does not answer", "halted")
          .hasMessageNotContaining("password");
    }
  }

  @Test
  void aHostThatDoesNotAnswer() throws IOException {
    // nothing accepts: once the queue is full, no connection is established
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Socket[] queue = new Socket[8];
      for (int i = 0; i < queue.length; i++) {
        queue[i] = new Socket();
        int own = i;
        attempt(() -> queue[own].connect(full.getLocalSocketAddress(), 200));
      }
      assertUnavailable("redis://127.0.0.1:" + full.getLocalPort() + SOON)
          .hasMessageContainingAll("the host does not answer", "firewall");
      for (Socket socket : queue) {
        socket.close();
      }
    }
  }

  @Test
  void anHttpServer() throws IOException {
    HttpServer web =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.start();
    try {
      String address = "127.0.0.1:" + web.getAddress().getPort();
      assertRefused(patient("redis://" + address))
          .hasMessageContainingAll(address, "no Redis", "HTTP server");
      assertRefused("rediss://" + address + SOON).hasMessageContainingAll(address, "HTTP server");
    } finally {
      web.stop(0);
    }
  }

  // ---- TLS

  @Test
  void aPlainConnectionToATlsPort() {
    assertRefused(patient("redis://:" + SECRET + "@127.0.0.1:" + tls.tlsPort()))
        .hasMessageContainingAll("this port speaks TLS", "rediss://");
  }

  /** A handshake that the server takes for the beginning of a command ends with the time-out. */
  @Test
  void aTlsConnectionToAPlainPort() {
    long start = System.nanoTime();
    assertRefused("rediss://127.0.0.1:" + tls.port() + SOON)
        .hasMessageContainingAll("speaks Redis without TLS", "redis://");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void anUntrustedCertificate() {
    assertRefused(patient(tls.tlsUrl()))
        .hasMessageContainingAll("certificate is not trusted", "SslOptions", "certification path");
  }

  @Test
  void aCertificateForAnotherHost() {
    try (TestCertificate other = TestCertificate.forHost("elsewhere.invalid");
        RedisServer impostor = RedisServer.builder().tls(other).start()) {
      SslOptions ssl =
          SslOptions.builder()
              .jdkSslProvider()
              .truststore(other.trustStoreFile().toFile(), other.password())
              .build();
      RedisBackendProvider engine =
          RedisBackendProvider.of(
              RedisURI.create(patient(impostor.tlsUrl())),
              ClientOptions.builder().sslOptions(ssl).build());
      assertThatThrownBy(() -> LockManager.builder(impostor.tlsUrl()).engine(engine).build())
          .isExactlyInstanceOf(StoreException.class)
          .hasMessageContainingAll("another host name", "subject alternative");
    }
  }

  // ---- refusals of the server

  @Test
  void aMissingPassword() {
    assertRefused(patient(locked.url())).hasMessageContainingAll("wants a password", "NOAUTH");
  }

  @Test
  void aWrongPassword() {
    assertRefused(patient(locked.url("", "gue%ss")))
        .hasMessageContainingAll("password is wrong", "percent-encoded", "WRONGPASS")
        .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain("gue%", "gue%25"));
  }

  /** Only the words of the server can repeat it; in ours it is a word like any other. */
  @ParameterizedTest
  @ValueSource(strings = {"Redis", "password", "127.0.0.1", "WRONGPASS"})
  void aWrongPasswordThatIsAWordOfTheMessage(String password) {
    assertRefused(patient(locked.url("", password)))
        .hasMessageContainingAll(
            "cannot connect to Redis at 127.0.0.1:", "user or password is wrong; check redis://");
  }

  /** The reply of servers before version 6; later ones accept any password. */
  @Test
  void aPasswordForAServerWithoutOne() throws IOException {
    String words =
        "-ERR AUTH <password> called without any password configured for the default user";
    try (ServerSocket socket = saying(words)) {
      assertRefused(patient("redis://:" + SECRET + "@127.0.0.1:" + socket.getLocalPort()))
          .hasMessageContainingAll("the server none", "requirepass");
    }
  }

  @Test
  void aMissingRightToSubscribe() {
    assertRefused(patient(locked.url("deaf", SECRET)))
        .hasMessageContainingAll("lacks a right", "holdfast:inbox:*", "NOPERM");
  }

  @Test
  void anUnknownDatabase() {
    assertRefused(patient(tls.url() + "/99"))
        .hasMessageContainingAll("no database of this number", "ERR DB index is out of range");
  }

  @Test
  void aServerThatIsFull() {
    try (RedisServer full = RedisServer.builder().args("--maxclients", "1").start();
        RespClient only = full.client()) {
      assertThat(only.call("PING")).isEqualTo("PONG");
      assertUnavailable(patient(full.url())).hasMessageContainingAll("maxclients", "max number");
    }
  }

  @Test
  void aServerThatIsStarting() {
    try (RedisServer server = RedisServer.builder().args("--enable-debug-command", "yes").start();
        RespClient filling = server.client();
        RespClient loading = server.client()) {
      filling.call("DEBUG", "POPULATE", "20000", key);
      filling.call("CONFIG", "SET", "key-load-delay", "2000");
      filling.call("CONFIG", "SET", "loading-process-events-interval-bytes", "1024");
      Thread reload = new Thread(() -> attempt(() -> loading.call("DEBUG", "RELOAD")));
      reload.start();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  String.valueOf(catchThrowable(() -> filling.call("GET", key)))
                      .contains("LOADING"));
      // the server executes some commands, so there is a connection
      try (LockManager manager = LockManager.create(patient(server.url()))) {
        assertThatThrownBy(() -> manager.getLock(key).tryLock())
            .isExactlyInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("LOADING");
      }
    }
  }

  /** The reply of a real server, which sends it only to clients of another machine. */
  @Test
  void aServerInProtectedMode() throws IOException {
    String words = "-DENIED Redis is running in protected mode because protected mode is enabled";
    try (ServerSocket socket = saying(words)) {
      assertRefused(patient("redis://127.0.0.1:" + socket.getLocalPort()))
          .hasMessageContainingAll("in protected mode", "requirepass", words.substring(1));
    }
  }

  /** Servers and proxies repeat an unknown command. */
  @Test
  void aPasswordThatTheServerRepeatsIsMasked() throws IOException {
    try (ServerSocket socket = saying("-ERR command not understood: 'AUTH' '" + SECRET + "'")) {
      assertThatThrownBy(
              () ->
                  LockManager.create(
                      patient("redis://:" + SECRET + "@127.0.0.1:" + socket.getLocalPort())))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("***")
          .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain(SECRET));
    }
  }

  private static void attempt(ThrowingCallable call) {
    try {
      call.call();
    } catch (Throwable e) {
      // the outcome does not matter
    }
  }

  private static ServerSocket saying(String words) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  answer(server.accept(), words);
                }
              } catch (IOException e) {
                // closed
              }
            });
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private static void answer(Socket client, String words) {
    try (client) {
      InputStream in = client.getInputStream();
      in.read(new byte[1024]);
      client.getOutputStream().write((words + "\r\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- later

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPasswordChangedMeanwhileIsReported(boolean lent) {
    try (RedisServer server = RedisServer.builder().requirePass("before").start();
        RespClient redis = server.client()) {
      RedisURI uri = RedisURI.create(patient(server.url("", "before")));
      RedisClient client = lent ? RedisClient.create() : null;
      RedisBackendProvider engine =
          client != null ? RedisBackendProvider.using(client, uri) : RedisBackendProvider.of(uri);
      try (LockManager manager = LockManager.builder(server.url()).engine(engine).build()) {
        DistributedLock lock =
            manager.getLock(
                LockConfig.builder().lockKey(key).storeTimeout(Duration.ofMillis(500)).build());
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        redis.call("CONFIG", "SET", "requirepass", SECRET);
        redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        redis.call("CLIENT", "KILL", "TYPE", "pubsub");
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .untilAsserted(
                () ->
                    assertThatThrownBy(lock::tryLock)
                        .isExactlyInstanceOf(StoreUnavailableException.class)
                        .hasMessageContainingAll("not connected", "password is wrong", "WRONGPASS")
                        .satisfies(
                            e ->
                                assertThat(Throwables.getStackTrace(e))
                                    .doesNotContain("before", SECRET)));
        redis.call("CONFIG", "SET", "requirepass", "before");
        Awaitility.await()
            .atMost(Duration.ofMinutes(2))
            .pollInSameThread()
            .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
            .until(lock::tryLock);
        lock.unlock();
      } finally {
        if (client != null) {
          client.shutdown();
        }
      }
    }
  }
}
