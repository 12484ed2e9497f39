package io.holdfast.jdbc.backend;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what others send to this process: one thread with one connection that listens on the
 * process's channel. While it does not, rows have to be looked at; a connection that died in
 * silence is noticed by asking it every few seconds.
 */
final class PostgresListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
  private static final int WAIT_MILLIS = 500;
  private static final long SILENCE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  private final ConnectionSource source;
  private final String channel;
  private final Settings settings;
  private final Consumer<String> letters;
  private final Consumer<Boolean> state;
  private final Thread thread;
  private volatile boolean listening;
  private volatile boolean closed;
  private volatile @Nullable Session session;

  /**
   * @param letters what to do with a message
   * @param state told true when it listens from now on, false when it does not any more
   */
  PostgresListener(
      ConnectionSource source,
      String channel,
      Settings settings,
      Consumer<String> letters,
      Consumer<Boolean> state) {
    this.source = source;
    this.channel = channel;
    this.settings = settings;
    this.letters = letters;
    this.state = state;
    this.thread = new Thread(this::run, "holdfast-jdbc-listen");
    thread.setDaemon(true);
    thread.start();
  }

  boolean isListening() {
    return listening;
  }

  private void run() {
    while (!closed) {
      boolean possible = listen();
      listening = false;
      if (!possible) {
        log.info("these connections cannot listen for notifications; rows are polled instead");
        return;
      }
      if (!closed) {
        state.accept(false);
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  /** Listens until the connection fails; false if it can never work. */
  private boolean listen() {
    Session opened = null;
    try {
      opened = source.borrow();
      session = opened;
      PGConnection connection = opened.connection().unwrap(PGConnection.class);
      opened.execute("LISTEN " + channel);
      listening = true;
      state.accept(true);
      hear(opened, connection);
      return true;
    } catch (LinkageError e) {
      return false;
    } catch (SQLException | RuntimeException e) {
      if (opened != null && !isDriver(opened)) {
        return false;
      }
      log.debug("listening was interrupted", e);
      return true;
    } finally {
      session = null;
      if (opened != null) {
        source.giveBack(opened, false);
      }
    }
  }

  private static boolean isDriver(Session opened) {
    try {
      return opened.connection().isClosed() || opened.connection().isWrapperFor(PGConnection.class);
    } catch (SQLException e) {
      return true; // broken, which tells nothing
    }
  }

  private void hear(Session opened, PGConnection connection) throws SQLException {
    long heardAt = System.nanoTime();
    while (!closed) {
      PGNotification[] arrived = connection.getNotifications(WAIT_MILLIS);
      if (arrived != null && arrived.length > 0) {
        heardAt = System.nanoTime();
        for (PGNotification each : arrived) {
          letters.accept(each.getParameter());
        }
      } else if (System.nanoTime() - heardAt > SILENCE_NANOS) {
        if (!opened.connection().isValid(settings.timeoutSeconds())) {
          return;
        }
        heardAt = System.nanoTime();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    Session open = session;
    if (open != null) {
      try {
        open.connection().abort(Runnable::run);
      } catch (SQLException e) {
        log.debug("the listening connection was not closed in good order", e);
      }
    }
    try {
      thread.join(settings.networkTimeoutMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
