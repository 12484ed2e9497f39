package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendException;
import io.holdfast.spi.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.ensemble.fixed.FixedEnsembleProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one manager: sessions, one after the other. Curator's client creates a new
 * session when the servers have ended the present one, and ZooKeeper's own client finds another
 * server when a connection breaks; this class listens to both.
 */
final class ZooKeeperClient implements AutoCloseable {
  /** Listens to sessions. Must not block. */
  interface Listener {
    /** There is a connection, again or for a new session. */
    void connected(Session session);

    /** The servers have ended the session. */
    void ended(Session session);
  }

  private static final Logger log = LoggerFactory.getLogger(ZooKeeperClient.class);
  private static final int CLOSE_MILLIS = 2_000;

  private final ZooKeeperSettings settings;
  private final ConnectFaults faults;
  private final TimeSource time;
  private final Listener listener;
  private final CuratorZookeeperClient curator;
  private final CompletableFuture<Session> first = new CompletableFuture<>();
  private volatile @Nullable Session current;
  private volatile @Nullable Session newest;
  private volatile boolean closed;

  ZooKeeperClient(ZooKeeperSettings settings, TimeSource time, Listener listener) {
    this.settings = settings;
    this.faults = new ConnectFaults(settings);
    this.time = time;
    this.listener = listener;
    this.curator =
        new CuratorZookeeperClient(
            (servers, timeout, watcher, readOnly) -> newSession(servers, timeout, watcher),
            new FixedEnsembleProvider(settings.servers(), false),
            (int) settings.sessionTimeout().toMillis(),
            (int) settings.connectTimeout().toMillis(),
            null,
            new RetryNTimes(0, 0), // core tries again
            false);
  }

  /** Connects and waits for the first session. Closes this client on failure. */
  Session open() {
    try {
      curator.start();
      return first.get(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      close();
      throw faults.noSession(e);
    } catch (ExecutionException e) {
      close();
      Throwable cause = e.getCause() != null ? e.getCause() : e;
      throw faults.refused(String.valueOf(cause.getMessage()), cause);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw faults.refused("interrupted", e);
    } catch (Exception e) { // declared by Curator
      close();
      throw faults.refused(String.valueOf(e.getMessage()), e);
    } catch (Error e) {
      close();
      throw e;
    }
  }

  /** The session of the last connection, which may be interrupted or over; null if none. */
  @Nullable Session session() {
    return current;
  }

  /** The session of the present connection or, if there is none, of the next. */
  @Nullable Session newest() {
    return newest;
  }

  private ZooKeeper newSession(String servers, int timeout, Watcher curatorsWatcher)
      throws IOException {
    Session session =
        new Session(
            settings.authenticates() ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE,
            time);
    newest = session;
    ZKClientConfig config = new ZKClientConfig();
    // SoleUser relies on it: a client that reconnects receives the events that it has missed.
    // Set here, it overrides the system property.
    config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "false");
    String section = settings.sasl();
    if (section != null) {
      config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "true");
      config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, section);
    } else {
      config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    }
    Watcher watcher =
        event -> {
          connectionChanged(session, event);
          if (event.getState() != null) {
            curatorsWatcher.process(event); // creates a new session if this one has ended
          }
        };
    synchronized (session) {
      ZooKeeper zooKeeper = new ZooKeeper(servers, timeout, watcher, false, config);
      session.attach(zooKeeper);
      String digest = settings.digest();
      if (digest != null) {
        zooKeeper.addAuthInfo("digest", digest.getBytes(StandardCharsets.UTF_8));
      }
      return zooKeeper;
    }
  }

  private void connectionChanged(Session session, WatchedEvent event) {
    Watcher.Event.@Nullable KeeperState state = event.getState(); // null during some steps of SASL
    if (event.getType() != Watcher.Event.EventType.None || state == null) {
      return;
    }
    switch (state) {
      case SyncConnected -> {
        session.connected();
        current = session;
        if (!first.complete(session)) {
          log.info("{}: connected again", settings);
        }
        listener.connected(session);
      }
      case Expired, Closed -> {
        session.ended();
        if (!closed) {
          log.info("{}: the session has ended", settings);
        }
        listener.ended(session);
      }
      case AuthFailed -> {
        session.disconnected();
        boolean atFirst =
            first.completeExceptionally(
                new BackendException(
                    "authentication failed; check the SASL section that the URL names", null));
        if (!atFirst) { // otherwise open() throws it
          log.error("{}: authentication failed", settings);
        }
      }
      case SaslAuthenticated -> {
        // a connection follows
      }
      default -> session.disconnected();
    }
  }

  private void end() {
    try {
      curator.close(CLOSE_MILLIS);
    } finally {
      Session last = current;
      if (last != null) {
        last.ended(); // no event reports what this client does itself
      }
    }
  }

  /** Ends the session, and with it all nodes of this manager. Waits two seconds at most. */
  @Override
  public void close() {
    closed = true;
    Thread closing = new Thread(this::end, "holdfast-zookeeper-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
