package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives a sign of life of the session every eighth of its time-out, if nothing else was sent in a
 * while. ZooKeeper's client gives signs as well, but does not tell when; and it must be known how
 * long a session was silent before a lock rests on it: {@link Contact}.
 */
final class SessionHeartbeat {
  private final BackendContext context;
  private final Supplier<@Nullable Session> session;
  private final String path;
  private volatile long timeoutMillis;
  private volatile boolean stopped;

  SessionHeartbeat(
      BackendContext context,
      Supplier<@Nullable Session> session,
      String path,
      Duration wantedTimeout) {
    this.context = context;
    this.session = session;
    this.path = path;
    this.timeoutMillis = wantedTimeout.toMillis();
  }

  void start() {
    context.scheduler().schedule(TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 8, this::beat);
  }

  private void beat() {
    if (stopped) {
      return;
    }
    Session present = session.get();
    if (present != null) {
      present.beat(path);
      long given = present.timeoutMillis();
      timeoutMillis = given == 0 ? timeoutMillis : given; // the servers may give more or less
    }
    start();
  }

  void stop() {
    stopped = true;
  }
}
