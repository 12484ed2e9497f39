package io.holdfast.jdbc.backend;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives notifications for this process: one thread with one connection that listens on the
 * channel of the process. While it does not listen, rows are polled. A network does not report a
 * dead connection, so the listener sends a notification to itself after a silence: the echo shows
 * that the connection works in both directions and listens.
 */
final class PostgresListener implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
  private static final String ECHO = "echo";
  private static final int WAIT_MILLIS = 500;
  private static final int ECHO_MILLIS = 3000;
  private static final long SILENCE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long IDLE_SILENCE_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

  /** The listening thread reports here. */
  interface State {
    /** A notification has arrived. */
    void received(String payload);

    /** The listener has begun (true) or stopped (false) to listen. */
    void listening(boolean now);

    /** An open connection delivers no echo; the listener stops listening next. */
    void noEcho(String why);

    /** True if an owner of this process waits or holds, so that a notification may concern it. */
    boolean isAnybodyInterested();
  }

  /** The connection is open but delivers no echo. */
  private static final class NoEcho extends SQLException {
    private static final long serialVersionUID = 1;

    NoEcho(@Nullable Throwable cause) {
      super("the listening connection delivered no echo within 3 s", cause);
    }
  }

  private final ConnectionSource source;
  private final String channel;
  private final Settings settings;
  private final State state;
  private final Thread thread;
  private volatile boolean listening;
  private volatile boolean closed;
  private volatile @Nullable Session session;

  PostgresListener(ConnectionSource source, String channel, Settings settings, State state) {
    this.source = source;
    this.channel = channel;
    this.settings = settings;
    this.state = state;
    this.thread = new Thread(this::run, "holdfast-jdbc-listen");
    thread.setDaemon(true);
    thread.start();
  }

  boolean isListening() {
    return listening;
  }

  private void run() {
    boolean possible = true;
    while (possible && !closed) {
      try {
        possible = listen();
      } catch (Throwable e) { // or nobody would hear or poll, with a thread that has ended
        warn(e);
      }
      if (possible && !closed) {
        tellThatItStopped();
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
    if (!possible) {
      log.info("the connections do not support LISTEN; Holdfast polls rows instead");
    }
  }

  private void tellThatItStopped() {
    try {
      state.listening(false);
    } catch (Throwable e) {
      warn(e);
    }
  }

  private static void warn(Throwable fault) {
    try {
      log.warn("the listener failed; it starts again", fault);
    } catch (Throwable e) {
      // as when there is no memory: the thread goes on
    }
  }

  /** Listens until the connection fails; false if it can never work. */
  private boolean listen() {
    Session opened = null;
    try {
      opened = source.borrow();
      session = opened;
      PGConnection connection = opened.connection().unwrap(PGConnection.class);
      opened.connection().setNetworkTimeout(Runnable::run, ECHO_MILLIS);
      opened.execute("LISTEN " + channel);
      echo(opened, connection);
      listening = true;
      state.listening(true);
      receive(opened, connection);
      return true;
    } catch (NoEcho e) {
      log.debug("the listening connection failed", e);
      if (!closed) {
        state.noEcho(String.valueOf(e.getMessage()));
      }
      return true;
    } catch (SQLException | RuntimeException | LinkageError e) {
      if (!isWorthAnotherTry(opened, e)) {
        return false;
      }
      log.debug("the listening connection failed", e);
      return true;
    } finally {
      listening = false;
      session = null;
      if (opened != null) {
        source.giveBack(opened, false);
      }
    }
  }

  /** False if these connections are none of PostgreSQL's driver, or it is not there. */
  private boolean isWorthAnotherTry(@Nullable Session opened, Throwable fault) {
    return listening || (!(fault instanceof LinkageError) && (opened == null || isDriver(opened)));
  }

  private static boolean isDriver(Session opened) {
    try {
      return opened.connection().isClosed() || opened.connection().isWrapperFor(PGConnection.class);
    } catch (SQLException e) {
      return true; // the connection is broken, which proves nothing
    }
  }

  private void receive(Session opened, PGConnection connection) throws SQLException {
    long receivedAt = System.nanoTime();
    while (!closed) {
      PGNotification[] arrived = connection.getNotifications(WAIT_MILLIS);
      long patience = state.isAnybodyInterested() ? SILENCE_NANOS : IDLE_SILENCE_NANOS;
      if (arrived != null && arrived.length > 0) {
        deliver(arrived);
        receivedAt = System.nanoTime();
      } else if (System.nanoTime() - receivedAt > patience) {
        echo(opened, connection);
        receivedAt = System.nanoTime();
      }
    }
  }

  /** Sends a notification to this listener and waits for it. */
  private void echo(Session opened, PGConnection connection) throws SQLException {
    long start = System.nanoTime();
    try {
      opened.execute("NOTIFY " + channel + ", '" + ECHO + "'");
    } catch (SQLException e) {
      throw e.getCause() instanceof SocketTimeoutException ? new NoEcho(e) : e;
    }
    while (!deliver(connection.getNotifications(WAIT_MILLIS))) {
      if (closed || System.nanoTime() - start > ECHO_MILLIS * 1_000_000L) {
        throw new NoEcho(null);
      }
    }
  }

  /** Passes notifications on; true if an echo is among them. */
  private boolean deliver(PGNotification @Nullable [] arrived) {
    boolean echo = false;
    for (PGNotification each : arrived == null ? new PGNotification[0] : arrived) {
      if (each.getParameter().equals(ECHO)) {
        echo = true;
      } else {
        state.received(each.getParameter());
      }
    }
    return echo;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    Session open = session;
    if (open != null) {
      try {
        open.connection().abort(Runnable::run);
      } catch (SQLException | RuntimeException e) {
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
