package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import io.holdfast.testkit.internal.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate made for one test run, in the forms a server and its clients want.
 *
 * <pre>{@code
 * try (TestCertificate certificate = TestCertificate.forLoopback();
 *     RedisServer redis = RedisServer.builder().tls(certificate).start()) {
 *   SslOptions trust = SslOptions.builder().truststore(certificate.trustStoreFile().toFile(),
 *       certificate.password()).build();
 *   ... // redis.tlsUrl()
 * }
 * }</pre>
 */
public final class TestCertificate implements AutoCloseable {
  private static final String PASSWORD = "holdfast";
  private static final String ALIAS = "server";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path directory;
  private final KeyStore trustStore;

  private TestCertificate(String subjectAlternativeNames) {
    try {
      directory = Leftovers.newDirectory("certificate");
      generate(subjectAlternativeNames);
      KeyStore keys = KeyStore.getInstance(keyStoreFile().toFile(), PASSWORD.toCharArray());
      Certificate certificate = Objects.requireNonNull(keys.getCertificate(ALIAS));
      writePem(certificateFile(), "CERTIFICATE", certificate.getEncoded());
      byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
      writePem(privateKeyFile(), "PRIVATE KEY", key);
      trustStore = KeyStore.getInstance("PKCS12");
      trustStore.load(null, null);
      trustStore.setCertificateEntry(ALIAS, certificate);
      try (var out = Files.newOutputStream(trustStoreFile())) {
        trustStore.store(out, PASSWORD.toCharArray());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the certificate", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot make a certificate", e);
    }
  }

  /** A certificate for 127.0.0.1 and localhost. */
  public static TestCertificate forLoopback() {
    return new TestCertificate("ip:127.0.0.1,dns:localhost");
  }

  /** A certificate for another host, which a careful client must refuse on the loopback address. */
  public static TestCertificate forHost(String dnsName) {
    return new TestCertificate("dns:" + dnsName);
  }

  /** The certificate, PEM. */
  public Path certificateFile() {
    return directory.resolve("certificate.pem");
  }

  /** Its private key, PEM (PKCS #8, not encrypted). */
  public Path privateKeyFile() {
    return directory.resolve("private-key.pem");
  }

  /** Certificate and private key, PKCS #12, under {@link #password()}. */
  public Path keyStoreFile() {
    return directory.resolve("key-store.p12");
  }

  /** The certificate as the only trusted one, PKCS #12, under {@link #password()}. */
  public Path trustStoreFile() {
    return directory.resolve("trust-store.p12");
  }

  /** The password of both stores. */
  public String password() {
    return PASSWORD;
  }

  /** For clients: trusts this certificate and no other. */
  public SSLContext trustingContext() {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trustStore);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot trust the certificate", e);
    }
  }

  /** Removes the files. */
  @Override
  public void close() {
    Leftovers.remove(directory);
  }

  /** The JDK can sign certificates only with its keytool, which every Java runtime has. */
  private void generate(String subjectAlternativeNames) throws IOException {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Path output = directory.resolve("keytool.log");
    Process process =
        Leftovers.start(
            new ProcessBuilder(
                    keytool.toString(),
                    "-genkeypair",
                    "-alias",
                    ALIAS,
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-validity",
                    "30",
                    "-dname",
                    "CN=holdfast-testkit",
                    "-ext",
                    "san=" + subjectAlternativeNames,
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    keyStoreFile().toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile()));
    if (!Waiting.forExit(process, PATIENCE) || process.exitValue() != 0) {
      throw new IllegalStateException("keytool failed: " + Files.readString(output));
    }
  }

  private static void writePem(Path file, String kind, byte[] content) throws IOException {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
  }
}
