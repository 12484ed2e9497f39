package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendContext;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends a sign of life of the session every eighth of its time-out, unless another request has been
 * one. ZooKeeper's client sends pings of its own but does not tell when, and before a lock rests on
 * a session it must be known how long that was silent: {@link Contact}.
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
      Duration requestedTimeout) {
    this.context = context;
    this.session = session;
    this.path = path;
    this.timeoutMillis = requestedTimeout.toMillis();
  }

  void start() {
    context.scheduler().schedule(TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 8, this::run);
  }

  private void run() {
    if (stopped) {
      return;
    }
    Session present = session.get();
    if (present != null) {
      present.heartbeat(path);
      long given = present.timeoutMillis();
      timeoutMillis = given == 0 ? timeoutMillis : given; // the servers may grant more or less
    }
    start();
  }

  void stop() {
    stopped = true;
  }
}
