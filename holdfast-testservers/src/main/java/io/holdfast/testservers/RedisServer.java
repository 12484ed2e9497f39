package io.holdfast.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server on 127.0.0.1, with nothing to install, that a test may stop, kill, restart
 * and pause.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.builder().persistent().start()) {
 *   LockManager manager = LockManager.create(redis.url());
 *   ...
 *   redis.kill();  // SIGKILL
 *   redis.start(); // same port, same data
 * }
 * }</pre>
 *
 * <p>Tests that do the server no harm take {@link #shared()}, which costs one start per JVM, or
 * none when the environment variable {@code HOLDFAST_TEST_REDIS_URL} names a server to use instead.
 *
 * <p>The server keeps nothing on disk unless {@linkplain Builder#persistent() told so}. It speaks
 * TLS when given a {@linkplain Builder#tls certificate}: the executables we use are built with it.
 * Safe for use by several threads.
 */
public final class RedisServer implements AutoCloseable {
  static final String URL_VARIABLE = "HOLDFAST_TEST_REDIS_URL";

  private final @Nullable RedisProcess process;
  private final String externalUrl;
  private final @Nullable String password;
  private final boolean shared;

  private RedisServer(RedisProcess process, @Nullable String password, boolean shared) {
    this.process = process;
    this.externalUrl = "";
    this.password = password;
    this.shared = shared;
  }

  private RedisServer(String externalUrl) {
    this.process = null;
    this.externalUrl = externalUrl;
    this.password = null;
    this.shared = true;
  }

  /** A server of one's own, to be configured and started. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The server that all tests of this JVM may use, started by the first call. It cannot be stopped,
   * killed, restarted or paused, and closing it does nothing. Tests share its data too, so each
   * should use keys of its own.
   */
  public static RedisServer shared() {
    return Shared.SERVER;
  }

  static RedisServer external(String url) {
    return new RedisServer(url);
  }

  /**
   * Starts the server and waits until it answers: the first time on a free port, later on the same.
   *
   * @return this
   */
  public RedisServer start() {
    exclusive("start()").start();
    return this;
  }

  /** Shuts the server down in good order, also when it is paused. Does nothing if it is down. */
  public void stop() {
    exclusive("stop()").stop();
  }

  /** Kills the server with SIGKILL. Does nothing if it is down. */
  public void kill() {
    exclusive("kill()").kill();
  }

  /** {@link #stop()} and {@link #start()}; data are kept only by a persistent server. */
  public void restart() {
    RedisProcess own = exclusive("restart()");
    own.stop();
    own.start();
  }

  /** Halts the server with SIGSTOP: connections stay open, and nothing is answered. */
  public void pause() {
    exclusive("pause()").pause();
  }

  /** Lets a paused server go on (SIGCONT). */
  public void resume() {
    exclusive("resume()").resume();
  }

  /** True while the server process lives, paused or not. Of an external server it is assumed. */
  public boolean isRunning() {
    return process == null || process.isAlive();
  }

  /** Where the server listens, usually 127.0.0.1. */
  public String host() {
    return process == null ? URI.create(externalUrl).getHost() : "127.0.0.1";
  }

  /** The port for connections without TLS. */
  public int port() {
    if (process != null) {
      return process.port();
    }
    int port = URI.create(externalUrl).getPort();
    return port < 0 ? RespAddress.DEFAULT_PORT : port;
  }

  /** The port for connections with TLS. */
  public int tlsPort() {
    return owned("tlsPort()").tlsPort();
  }

  /** {@code redis://127.0.0.1:<port>}, without credentials; an external server's URL as given. */
  public String url() {
    return process == null ? externalUrl : "redis://127.0.0.1:" + port();
  }

  /** {@code redis://user:password@127.0.0.1:<port>}; an empty user means the default user. */
  public String url(String user, String password) {
    return "redis://" + encode(user) + ":" + encode(password) + "@" + host() + ":" + port();
  }

  /** {@code rediss://127.0.0.1:<tls port>}. */
  public String tlsUrl() {
    return "rediss://127.0.0.1:" + tlsPort();
  }

  /** A new plain connection to look at the server with, logged in if a password is required. */
  public RespClient client() {
    return RespClient.connect(password == null ? url() : url("", password));
  }

  /** What the server has logged. */
  public String log() {
    return owned("log()").log();
  }

  /** Ends the server and removes its files. A shared server stays. */
  @Override
  public void close() {
    if (process != null && !shared) {
      process.close();
    }
  }

  /** The process, for what would disturb others. */
  private RedisProcess exclusive(String action) {
    RedisProcess own = owned(action);
    if (shared) {
      throw new UnsupportedOperationException(
          action + " would disturb all tests that use the shared server; start one with builder()");
    }
    return own;
  }

  private RedisProcess owned(String action) {
    if (process == null) {
      throw new UnsupportedOperationException(
          action + " is not possible: " + URL_VARIABLE + " names a server that is not ours");
    }
    return process;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static final class Shared {
    static final RedisServer SERVER = create();

    private static RedisServer create() {
      String url = System.getenv(URL_VARIABLE);
      return url == null || url.isBlank() ? new Builder().start(true) : external(url);
    }
  }

  /** How a server is to be set up. */
  public static final class Builder {
    private final List<String> config = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private boolean persistent;
    private @Nullable String password;
    private @Nullable TestCertificate certificate;

    private Builder() {}

    /** Every write is on disk before it is answered, so that data outlive a restart and a kill. */
    public Builder persistent() {
      persistent = true;
      return this;
    }

    /** Asks the default user for a password. */
    public Builder requirePass(String password) {
      this.password = password;
      return this;
    }

    /** Adds a user by ACL rule, for instance {@code "app on >secret ~* &* +@all"}. */
    public Builder aclUser(String rule) {
      config.add("user " + rule);
      return this;
    }

    /** Listens for TLS too, on a port of its own. Clients need no certificate. */
    public Builder tls(TestCertificate certificate) {
      this.certificate = certificate;
      return this;
    }

    /**
     * Adds to the command line, for instance {@code "--maxmemory", "10mb"}; it overrules the rest.
     */
    public Builder args(String... arguments) {
      this.arguments.addAll(List.of(arguments));
      return this;
    }

    /** Sets environment variables. */
    public Builder env(Map<String, String> variables) {
      environment.putAll(variables);
      return this;
    }

    /** The server, not yet started. */
    public RedisServer build() {
      return build(false);
    }

    /** The server, started. */
    public RedisServer start() {
      return start(false);
    }

    private RedisServer start(boolean shared) {
      RedisServer server = build(shared);
      RedisProcess process = server.process;
      try {
        if (process != null) {
          process.start();
        }
        return server;
      } catch (RuntimeException e) {
        if (process != null) {
          process.close();
        }
        throw e;
      }
    }

    private RedisServer build(boolean shared) {
      List<String> lines = new ArrayList<>(config);
      lines.add("bind 127.0.0.1");
      lines.add("save \"\"");
      lines.add("appendonly " + (persistent ? "yes" : "no"));
      lines.add("appendfsync always");
      if (password != null) {
        lines.add("requirepass \"" + password + "\"");
      }
      if (certificate != null) {
        lines.add("tls-cert-file \"" + certificate.certificateFile() + "\"");
        lines.add("tls-key-file \"" + certificate.privateKeyFile() + "\"");
        lines.add("tls-ca-cert-file \"" + certificate.certificateFile() + "\"");
        lines.add("tls-auth-clients no");
      }
      try {
        RedisProcess process =
            new RedisProcess(
                lines, arguments, environment, certificate != null, LoopbackPorts::free);
        return new RedisServer(process, password, shared);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot make a directory for the server", e);
      }
    }
  }
}
