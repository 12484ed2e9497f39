package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RedisTlsTest {
  private static TestCertificate certificate;
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    certificate = TestCertificate.forLoopback();
    redis = RedisServer.builder().tls(certificate).start();
  }

  @AfterAll
  static void stop() {
    redis.close();
    certificate.close();
  }

  @Test
  void aClientThatTrustsTheCertificateConnects() {
    try (RespClient secure = RespClient.connect(redis.tlsUrl(), certificate.trustingContext());
        RespClient plain = redis.client()) {
      secure.call("SET", "tls", "yes");
      assertThat(plain.call("GET", "tls")).isEqualTo("yes");
    }
  }

  @Test
  void aClientThatDoesNotTrustItRefuses() {
    assertThatThrownBy(() -> RespClient.connect(redis.tlsUrl()))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(SSLException.class);
  }

  @Test
  void thePortWithTlsUnderstandsNothingElse() {
    assertThatThrownBy(
            () -> {
              try (RespClient plain = RespClient.connect("redis://127.0.0.1:" + redis.tlsPort())) {
                plain.call("PING");
              }
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void aCertificateForAnotherHostIsRefusedThoughTrusted() {
    try (TestCertificate other = TestCertificate.forHost("elsewhere.invalid");
        RedisServer impostor = RedisServer.builder().tls(other).start()) {
      assertThatThrownBy(() -> RespClient.connect(impostor.tlsUrl(), other.trustingContext()))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(SSLException.class)
          .hasStackTraceContaining("127.0.0.1");
    }
  }

  @Test
  void aServerWithoutCertificateHasNoTlsPort() {
    try (RedisServer plain = RedisServer.builder().build()) {
      assertThatThrownBy(plain::tlsPort).hasMessageContaining("without tls");
    }
  }

  @Test
  void theFilesGoWithTheCertificate() {
    TestCertificate shortLived = TestCertificate.forLoopback();
    Path key = shortLived.privateKeyFile();
    assertThat(key).content().startsWith("-----BEGIN PRIVATE KEY-----\n");
    shortLived.close();
    assertThat(Files.exists(key.getParent())).isFalse();
  }
}
