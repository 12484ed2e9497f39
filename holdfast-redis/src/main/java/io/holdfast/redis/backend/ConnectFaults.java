package io.holdfast.redis.backend;

import io.holdfast.redis.backend.PortProbe.Speech;
import io.holdfast.spi.BackendException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.RedisProtocolException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Explains why there is no connection to a server: a sentence and a hint for each cause, then the
 * words of the server or the network. A password that a server repeats is taken out.
 */
final class ConnectFaults {
  /** The time-out of a probe. */
  private static final int MOST_PROBE_MILLIS = 1000;

  private static final String NO_REDIS = "the server there is no Redis; check host and port";

  private record Refusal(String code, boolean mayPass, String advice) {}

  /** Error replies, by a part of their text. */
  private static final List<Refusal> REFUSALS =
      List.of(
          new Refusal(
              "WRONGPASS",
              false,
              "user or password is wrong; check redis://user:password@host:port, where special"
                  + " characters of the password are percent-encoded, as %40 for @"),
          new Refusal(
              "NOAUTH",
              false,
              "the server wants a password; put it into the URL, redis://user:password@host:port"),
          new Refusal(
              "called without any password configured",
              false,
              "the URL has a password and the server none; take it out of the URL, or set one with"
                  + " requirepass"),
          new Refusal(
              "DB index",
              false,
              "the server has no database of this number; choose another in the URL,"
                  + " redis://host:port/0, or raise 'databases' in the server's configuration"),
          new Refusal(
              "SELECT is not allowed in cluster mode",
              false,
              "a cluster has no databases but 0; take the number out of the URL"),
          new Refusal(
              "DENIED",
              false,
              "the server is in protected mode and serves its own machine only; set a password with"
                  + " requirepass, or bind it to the network on purpose"),
          new Refusal(
              "LOADING", true, "the server is starting and still reads its data; try again"),
          new Refusal("max number of clients", true, "the server is full; raise maxclients"),
          new Refusal("MASTERDOWN", true, "the server is a replica that has lost its master"),
          new Refusal("BUSY", true, "the server is busy with a script; try again"));

  private final RedisURI uri;

  ConnectFaults(RedisURI uri) {
    this.uri = uri;
  }

  /** The exception for a first connection that cannot be opened. */
  BackendException explain(Throwable fault) {
    Reason reason = reasonOf(fault, true);
    String message = "cannot connect to Redis at " + address() + ": " + text(reason);
    Throwable cause = repeatsPassword(fault) ? null : RedisFaults.unwrap(fault);
    return reason.mayPass
        ? BackendException.unavailable(message, cause)
        : new BackendException(message, cause);
  }

  /** The reason why a connection does not come back, in words. The server is not probed. */
  String describe(Throwable fault) {
    return text(reasonOf(fault, false));
  }

  /** The exception for a connection attempt that does not end. */
  BackendException stillNotConnected(long millis, Throwable cause) {
    return BackendException.unavailable(
        "cannot connect to Redis at %s: still not connected after %d ms"
            .formatted(address(), millis),
        cause);
  }

  String address() {
    return uri.getHost() + ":" + uri.getPort();
  }

  // ---- causes

  /** Advice, and the words of the server or the network. */
  private record Reason(boolean mayPass, String advice, String words) {}

  private String text(Reason reason) {
    String advice = reason.advice();
    boolean repeated = reason.words().isEmpty() || advice.contains(reason.words());
    return repeated ? advice : advice + " (" + withoutPassword(reason.words()) + ")";
  }

  private Reason reasonOf(Throwable fault, boolean mayProbe) {
    Throwable root = RedisFaults.root(fault);
    String words = String.valueOf(root.getMessage());
    if (RedisFaults.isRefusedRight(words)) {
      return new Reason(false, RedisFaults.rights("your locks"), words);
    }
    for (Refusal refusal : REFUSALS) {
      if (words.contains(refusal.code())) {
        return new Reason(refusal.mayPass(), refusal.advice(), words);
      }
    }
    if (root instanceof LinkageError) {
      return new Reason(
          false,
          "do the versions of Lettuce and Netty on the class path belong together, and are all"
              + " parts of Netty of one version?",
          root.toString());
    }
    if (isAboutCertificates(fault)) {
      return certificate(words);
    }
    if (has(fault, UnknownHostException.class::isInstance)) {
      return new Reason(
          true,
          "the host '%s' is not known; is its name right, and can this machine look it up?"
              .formatted(uri.getHost()),
          words);
    }
    if (has(fault, each -> isConnectTimeout(each))) {
      return new Reason(
          true,
          "the host does not answer; is the address right, and does a firewall let through?",
          words);
    }
    if (root instanceof ConnectException && words.contains("refused")) {
      return new Reason(
          true, "nothing listens there; is the server running, and is this its port?", words);
    }
    return mayProbe ? probed(fault, words) : unclear(fault, words);
  }

  /** Netty reports a connect time-out as a {@code ConnectException}, too. */
  private static boolean isConnectTimeout(Throwable fault) {
    return fault instanceof SocketTimeoutException
        || (fault instanceof ConnectException
            && String.valueOf(fault.getMessage()).contains("timed out"));
  }

  private static Reason certificate(String words) {
    boolean otherHost =
        words.contains("No subject alternative") || words.contains("No name matching");
    return new Reason(
        false,
        otherHost
            ? "the server's certificate is for another host name; use the name in the certificate,"
                + " or, where that is safe, add ?verifyPeer=CA"
            : "the server's certificate is not trusted; trust it with SslOptions or in the trust"
                + " store of Java, or, where that is safe, add ?verifyPeer=NONE",
        words);
  }

  static boolean isAboutCertificates(Throwable fault) {
    return has(
        fault,
        each -> each instanceof CertificateException || each instanceof CertPathBuilderException);
  }

  /** Asks the port what it speaks, after a connection that was closed, reset or silent. */
  private Reason probed(Throwable fault, String words) {
    String host = uri.getHost();
    if (host == null || uri.getPort() <= 0) {
      return unclear(fault, words);
    }
    int millis = (int) Math.min(MOST_PROBE_MILLIS, Math.max(1, uri.getTimeout().toMillis()));
    Speech speech = PortProbe.ask(host, uri.getPort(), millis);
    String advice =
        switch (speech) {
          case REDIS ->
              uri.isSsl()
                  ? "this port speaks Redis without TLS; use redis://, or the server's port for TLS"
                  : null;
          case TLS ->
              uri.isSsl()
                  ? null
                  : "this port speaks TLS; use rediss://, or the server's port without TLS";
          case HTTP -> "an HTTP server listens there, no Redis; check host and port";
          case OTHER -> NO_REDIS;
          case NOTHING -> null;
        };
    return advice == null ? unclear(fault, words) : new Reason(false, advice, words);
  }

  private Reason unclear(Throwable fault, String words) {
    if (has(fault, RedisCommandTimeoutException.class::isInstance)) {
      return new Reason(
          true,
          "the server accepts connections and does not answer; is it overloaded or halted, and is"
              + " it a Redis%s?".formatted(uri.isSsl() ? " with TLS" : ""),
          words);
    }
    if (has(fault, SSLException.class::isInstance)) {
      return new Reason(
          false,
          "the TLS handshake failed; do both sides have a protocol in common, and does the server"
              + " want a certificate of the client?",
          words);
    }
    if (has(fault, RedisProtocolException.class::isInstance)) {
      return new Reason(false, NO_REDIS, words);
    }
    return new Reason(
        true,
        "the connection was closed by the server or the network; the server's log may say why",
        words);
  }

  private static boolean has(Throwable fault, Predicate<Throwable> test) {
    Throwable cause = fault;
    for (int depth = 0; cause != null && depth < 20; depth++, cause = cause.getCause()) {
      if (test.test(cause)) {
        return true;
      }
    }
    return false;
  }

  // ---- passwords

  /** Some servers repeat an unknown command with its arguments. */
  private String withoutPassword(String wordsOfServer) {
    String password = password();
    return password == null ? wordsOfServer : wordsOfServer.replace(password, "***");
  }

  private boolean repeatsPassword(Throwable fault) {
    String password = password();
    return password != null
        && has(fault, each -> String.valueOf(each.getMessage()).contains(password));
  }

  /** The password in the URL; null if there is none, or if it would have to be fetched. */
  private @Nullable String password() {
    RedisCredentials known;
    try {
      known = uri.getCredentialsProvider().resolveCredentials().toFuture().getNow(null);
    } catch (RuntimeException e) {
      return null;
    }
    char[] password = known == null ? null : known.getPassword();
    return password == null || password.length == 0 ? null : new String(password);
  }
}
