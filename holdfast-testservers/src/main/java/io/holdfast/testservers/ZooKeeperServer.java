package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A real ZooKeeper server in this JVM, on a free port of 127.0.0.1. Needs {@code
 * org.apache.curator:curator-test} on the class path, which the testkit does not bring along.
 *
 * <pre>{@code
 * try (ZooKeeperServer server = ZooKeeperServer.start()) {
 *   LockManager manager = LockManager.create(server.url());
 *   server.restart();
 * }
 * }</pre>
 *
 * <p>Tests that do the server no harm take {@link #shared()}, which costs one start per JVM, or
 * none when the environment variable {@code HOLDFAST_TEST_ZOOKEEPER_SERVERS} names servers to use
 * instead, as in {@code host:port,host:port}. Empty containers are removed after a moment, not
 * after a minute.
 */
public final class ZooKeeperServer implements AutoCloseable {
  static final String SERVERS_VARIABLE = "HOLDFAST_TEST_ZOOKEEPER_SERVERS";

  private static final int TICK_MILLIS = 500;
  private static final int LONGEST_SESSION_MILLIS = 600_000;

  private final InstanceSpec spec;
  private final boolean shared;
  private TestingServer server;
  private boolean running;

  private ZooKeeperServer(boolean shared) {
    ZooKeeperNodes.prepareJvm();
    this.spec = newSpec();
    this.shared = shared;
    this.server = launch();
  }

  /** Starts a server. */
  public static ZooKeeperServer start() {
    return new ZooKeeperServer(false);
  }

  /** The servers of this test run: {@code host:port,...}. Must not be stopped. */
  public static String shared() {
    String external = System.getenv(SERVERS_VARIABLE);
    return external != null ? external : Shared.SERVER.servers();
  }

  /** True if these are servers of the environment, which remove containers in their own time. */
  public static boolean isExternal(String servers) {
    return servers.equals(System.getenv(SERVERS_VARIABLE));
  }

  private static final class Shared {
    static final ZooKeeperServer SERVER = new ZooKeeperServer(true);
  }

  /**
   * Settings of one server: short ticks, so that things happen soon, and sessions of any length.
   */
  static InstanceSpec newSpec() {
    try {
      return new InstanceSpec(
          Leftovers.newDirectory("zookeeper").toFile(),
          LoopbackPorts.free(),
          LoopbackPorts.free(),
          LoopbackPorts.free(),
          false,
          -1,
          TICK_MILLIS,
          -1,
          Map.of(
              "maxSessionTimeout",
              Integer.toString(LONGEST_SESSION_MILLIS),
              "clientPortAddress",
              "127.0.0.1",
              "admin.enableServer",
              "false"),
          "127.0.0.1");
    } catch (IOException e) {
      throw new UncheckedIOException("no free port", e);
    }
  }

  private TestingServer launch() {
    try {
      TestingServer launched = new TestingServer(spec, true);
      running = true;
      return launched;
    } catch (Exception e) { // declared by Curator
      throw new IllegalStateException("the ZooKeeper server does not start", e);
    }
  }

  /** Where it listens. */
  public int port() {
    return spec.getPort();
  }

  /** {@code 127.0.0.1:port}. */
  public String servers() {
    return "127.0.0.1:" + port();
  }

  /** {@code zookeeper://127.0.0.1:port}. */
  public String url() {
    return "zookeeper://" + servers();
  }

  /** Stops it; what it has stays on disk. */
  public synchronized void stop() {
    if (shared) {
      throw new IllegalStateException("others use this server");
    }
    if (running) {
      running = false;
      try {
        server.stop();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Starts it again, on the same port and with what it had. */
  public synchronized void restart() {
    stop();
    server = launch();
  }

  /** Starts it again without what it had, as after the loss of its disk. */
  public synchronized void restartEmpty() {
    stop();
    empty(spec.getDataDirectory());
    server = launch();
  }

  /** Ends a session as if its client had been silent for too long. */
  public void expire(long session) {
    ZooKeeperNodes.expire(servers(), session, Duration.ofSeconds(20));
  }

  /** Stops it and removes what it had. */
  @Override
  public synchronized void close() {
    stop();
    Leftovers.remove(spec.getDataDirectory().toPath());
  }

  private static void empty(File directory) {
    try (Stream<Path> paths = Files.walk(directory.toPath())) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(directory.toPath())) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
