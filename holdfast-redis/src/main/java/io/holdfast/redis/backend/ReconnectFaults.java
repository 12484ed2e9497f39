package io.holdfast.redis.backend;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Remembers why a connection does not come back. Meanwhile Lettuce rejects commands with the
 * message that it is not connected; its events have the reason, for instance a changed password.
 */
final class ReconnectFaults {
  private final ConnectFaults faults;
  private final RedisURI uri;
  private volatile @Nullable Throwable last;

  ReconnectFaults(ConnectFaults faults, RedisURI uri) {
    this.faults = faults;
    this.uri = uri;
  }

  /** Receives an event of Lettuce, perhaps about another connection of the application. */
  void on(Event event) {
    if (event instanceof ReconnectFailedEvent failed && isOurs(failed.remoteAddress())) {
      failed(failed.getCause());
    }
  }

  private boolean isOurs(@Nullable SocketAddress address) {
    return !(address instanceof InetSocketAddress known)
        || (known.getPort() == uri.getPort() && known.getHostString().equals(uri.getHost()));
  }

  void failed(Throwable fault) {
    last = fault;
  }

  /** Forgets the last failure: there is a connection again. */
  void connected() {
    last = null;
  }

  /** The same fault, or one that explains why there is no connection. */
  Throwable explain(Throwable fault) {
    Throwable reason = last;
    if (reason == null || !isNotConnected(fault)) {
      return fault;
    }
    return new RedisException("not connected: " + faults.describe(reason));
  }

  private static boolean isNotConnected(Throwable fault) {
    return fault instanceof RedisException
        && String.valueOf(fault.getMessage()).contains("not connected");
  }
}
