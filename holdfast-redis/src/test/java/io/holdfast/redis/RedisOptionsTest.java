package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.connect;
import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import io.holdfast.testservers.TestCertificate;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.UUID;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs and options for the connection to the server, and the messages if they are wrong. */
@Isolated
@Timeout(240)
class RedisOptionsTest {
  private static final String PASSWORD = "p@ss:w/ord %#?&+";

  /** Longer than the default of 2 s: a later time-out is due to the option. */
  private static final Duration LONGER_THAN_USUAL = Duration.ofSeconds(4);

  private static TestCertificate certificate;
  private static RedisServer tls;
  private static RedisServer locked;

  private final String key = "options:" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    certificate = TestCertificate.forLoopback();
    tls = RedisServer.builder().tls(certificate).start();
    locked =
        RedisServer.builder()
            .requirePass(PASSWORD)
            .aclUser("app on >app-secret ~* &* +@all")
            .start();
    LockManager.create(patient(tls.url())).close(); // loads classes before time-outs are short
  }

  @AfterAll
  static void stop() {
    locked.close();
    tls.close();
    certificate.close();
  }

  // ---- TLS

  @Test
  void aTlsServerIsTrustedByTheTrustStoreInTheOptions() {
    try (LockManager manager = trusting(tls, certificate);
        RespClient redis = tls.client()) {
      worksOn(manager, redis);
    }
  }

  @Test
  void aTlsServerIsNotVerifiedIfTheUrlSaysSo() {
    try (LockManager manager = LockManager.create(patient(tls.tlsUrl() + "?verifyPeer=NONE"));
        RespClient redis = tls.client()) {
      worksOn(manager, redis);
    }
  }

  @Test
  void aServerWithAnUntrustedCertificateIsRefused() {
    assertThatThrownBy(() -> LockManager.create(patient(tls.tlsUrl())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + tls.tlsPort())
        .hasMessageContainingAll("certificate", "trust");
  }

  @Test
  void aServerWithATrustedCertificateForAnotherHostIsRefused() {
    try (TestCertificate other = TestCertificate.forHost("elsewhere.invalid");
        RedisServer impostor = RedisServer.builder().tls(other).start()) {
      assertThatThrownBy(() -> trusting(impostor, other))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("127.0.0.1:" + impostor.tlsPort())
          .hasMessageContaining("certificate");
    }
  }

  @Test
  void aPlainUrlForATlsPortFailsWithAClearMessage() {
    assertThatThrownBy(() -> LockManager.create("redis://127.0.0.1:" + tls.tlsPort()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + tls.tlsPort())
        .hasMessageNotContaining("null");
  }

  @Test
  void aTlsUrlForAPlainPortFailsWithAClearMessage() {
    assertThatThrownBy(() -> LockManager.create("rediss://127.0.0.1:" + tls.port()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("127.0.0.1:" + tls.port())
        .hasMessageNotContaining("null");
  }

  private static LockManager trusting(RedisServer server, TestCertificate trusted) {
    SslOptions ssl =
        SslOptions.builder()
            .jdkSslProvider()
            .truststore(trusted.trustStoreFile().toFile(), trusted.password())
            .build();
    ClientOptions options = ClientOptions.builder().sslOptions(ssl).build();
    RedisURI uri = RedisURI.create(patient(server.tlsUrl()));
    return LockManager.builder(server.tlsUrl())
        .engine(RedisBackendProvider.of(uri, options))
        .build();
  }

  // ---- user and password

  @Test
  void theUrlTakesAnyPasswordOfTheDefaultUser() {
    try (LockManager manager = LockManager.create(patient(locked.url("", PASSWORD)));
        RespClient redis = locked.client()) {
      worksOn(manager, redis);
    }
  }

  @Test
  void theUrlTakesAUser() {
    try (LockManager manager = LockManager.create(patient(locked.url("app", "app-secret")));
        RespClient redis = locked.client()) {
      worksOn(manager, redis);
    }
  }

  @Test
  void aWrongUserOrPasswordIsReportedAndNotRepeated() {
    for (String url :
        new String[] {
          locked.url("", "guess-what"),
          locked.url("app", "guess-what"),
          locked.url("nobody", "guess-what")
        }) {
      assertThatThrownBy(() -> LockManager.create(patient(url)))
          .isInstanceOf(StoreException.class)
          .hasMessageContainingAll("127.0.0.1:" + locked.port(), "WRONGPASS", "password")
          .satisfies(
              fault -> assertThat(Throwables.getStackTrace(fault)).doesNotContain("guess-what"));
    }
  }

  @Test
  void aMissingPasswordIsReported() {
    assertThatThrownBy(() -> LockManager.create(patient(locked.url())))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("127.0.0.1:" + locked.port(), "NOAUTH", "password");
  }

  // ---- database, name, time-out

  @Test
  void theLockIsInTheDatabaseOfTheUrl() {
    try (LockManager manager = LockManager.create(patient(tls.url() + "/5"));
        RespClient there = RespClient.connect(tls.url() + "/5");
        RespClient elsewhere = tls.client()) {
      manager.getLock(key).lock();
      assertThat(there.call("EXISTS", key)).isEqualTo(1L);
      assertThat(elsewhere.call("EXISTS", key)).isEqualTo(0L);
      assertThat(there.call("EXISTS", "holdfast:fence")).isEqualTo(1L);
      manager.getLock(key).unlock();
      assertThat(there.call("EXISTS", key)).isEqualTo(0L);
    }
  }

  @Test
  void anUnknownDatabaseIsReported() {
    assertThatThrownBy(() -> LockManager.create(patient(tls.url() + "/99")))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("127.0.0.1:" + tls.port(), "DB index");
  }

  @Test
  void theConnectionsHaveANameOnTheServer() {
    try (LockManager plain = LockManager.create(patient(tls.url()));
        LockManager named = LockManager.create(patient(tls.url() + "?clientName=orders"));
        RespClient redis = tls.client()) {
      assertThat(plain.getLock(key).isLocked()).isFalse();
      assertThat(named.getLock(key).isLocked()).isFalse();
      String clients = String.valueOf(redis.call("CLIENT", "LIST"));
      assertThat(clients).containsPattern(" name=holdfast ").containsPattern(" name=orders ");
    }
  }

  @Test
  void theTimeOutOfTheUrlBoundsACommand() {
    try (RedisServer slow = RedisServer.builder().start();
        LockManager manager = connect(LockManager.builder(slow.url() + "?timeout=4s"))) {
      DistributedLock lock = manager.getLock(key);
      lock.lock();
      lock.unlock();
      slow.pause();
      try {
        long start = System.nanoTime();
        assertThatThrownBy(lock::tryLock)
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining(key);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .isGreaterThan(LONGER_THAN_USUAL.minusMillis(10));
      } finally {
        slow.resume();
      }
    }
  }

  @Test
  void theTimeOutOfTheUrlBoundsConnecting() {
    try (RedisServer slow = RedisServer.builder().start()) {
      slow.pause();
      long start = System.nanoTime();
      assertThatThrownBy(() -> LockManager.create(slow.url() + "?timeout=4s"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("127.0.0.1:" + slow.port());
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThan(LONGER_THAN_USUAL.minusMillis(10));
    }
  }

  // ---- no server

  @Test
  void aMissingServerIsNamed() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertThatThrownBy(() -> LockManager.create("redis://127.0.0.1:" + port))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll("127.0.0.1:" + port, "refused");
  }

  @Test
  void anUnknownHostIsNamed() {
    assertThatThrownBy(() -> LockManager.create("redis://no-such-host.invalid:6379"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("no-such-host.invalid:6379");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://",
        "redis:///",
        "redis://:",
        "redis://@",
        "redis://:6379",
        "redis://?timeout=1s",
        "redis://127.0.0.1:99999",
        "redis://127.0.0.1:-1",
        "redis://127.0.0.1:abc",
        "redis://local host",
        "redis://127.0.0.1/zero",
        "redis://127.0.0.1/-1",
        "redis://127.0.0.1?timeout=-5s",
        "redis://:s3cr3t%zz@127.0.0.1",
        "redis://:s3cr3t@local host",
        "rediss://127.0.0.1:99999?verifyPeer=NONE",
        "redis://[::1",
        "redis://\u0001"
      })
  void aMalformedUrlIsRejectedWithTheKnownForms(String url) {
    assertThatThrownBy(() -> LockManager.create(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redis://[user:password@]host[:port]")
        .satisfies(fault -> assertThat(Throwables.getStackTrace(fault)).doesNotContain("s3cr3t"));
  }

  @Test
  void anInvalidPortOrTimeOutIsNotSilentlyReplacedByTheDefault() {
    assertThatThrownBy(() -> LockManager.create("redis://127.0.0.1:0").close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("port");
    assertThatThrownBy(() -> LockManager.create(tls.url() + "?timeout=soon").close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("timeout");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?bogus=1", "?timeout=2s&bogus=1", "?clientName=a;bogus=1", "/3?bogus"})
  void anUnknownOptionIsRejectedWithTheKnownOnes(String rest) {
    assertThatThrownBy(() -> LockManager.create(tls.url() + rest).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "no option 'bogus'",
            "timeout, database, db, clientName, libraryName, libraryVersion, verifyPeer, io");
  }

  @Test
  void everyListedOptionIsAccepted() {
    try (LockManager manager =
            LockManager.create(
                tls.tlsUrl()
                    + "?timeout=60s&database=3&clientName=all&libraryName=lib&libraryVersion=1.2"
                    + "&verifyPeer=NONE&io=netty");
        LockManager other = LockManager.create(patient(tls.url() + "?db=4"));
        RespClient redis = tls.client()) {
      assertThat(manager.getLock(key).isLocked() || other.getLock(key).isLocked()).isFalse();
      assertThat(String.valueOf(redis.call("CLIENT", "LIST")))
          .containsPattern(" name=all .* db=3 ")
          .containsPattern(" db=4 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:s3cr3t@1@127.0.0.1",
        "redis://user:s3cr3t/1@127.0.0.1",
        "redis://user:s3cr3t?1@127.0.0.1",
        "redis://user:s3cr3t#1@127.0.0.1",
        "redis://user:s3cr3t 1@127.0.0.1",
        "redis://user:s3cr3t%1@127.0.0.1",
        "redis://user:s3cr3t[1]@127.0.0.1",
        "redis://h?s3cr3t@127.0.0.1"
      })
  void aPasswordWithReservedCharactersMustBeEncoded(String url) {
    assertThatThrownBy(() -> LockManager.create(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("percent-encoded", "%40 for @")
        .satisfies(fault -> assertThat(Throwables.getStackTrace(fault)).doesNotContain("s3cr3t"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "redis", "redis:", "redis:/localhost", "http://localhost", "garbage"})
  void aUrlOfNoEngineIsRejectedWithTheKnownForms(String url) {
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redis://");
  }

  private void worksOn(LockManager manager, RespClient redis) {
    DistributedLock lock = manager.getLock(key);
    lock.lock();
    assertThat(redis.call("EXISTS", key)).isEqualTo(1L);
    lock.unlock();
    assertThat(redis.call("EXISTS", key)).isEqualTo(0L);
  }
}
