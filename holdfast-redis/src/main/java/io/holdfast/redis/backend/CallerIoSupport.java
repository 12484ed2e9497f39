package io.holdfast.redis.backend;

import io.lettuce.core.resource.Transports;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the class path has what {@link CallerIo} needs. The version of Netty does not
 * follow from that of Lettuce, so this class looks for Netty's classes. Each client looks anew: an
 * {@link Error} of Lettuce in a static initializer here would hide its cause from the second
 * client.
 */
final class CallerIoSupport {
  /** Classes that are new in Netty 4.2, one from each library that the caller loop is built on. */
  private static final String[] NEEDED = {
    "io.netty.channel.IoEventLoop", "io.netty.util.concurrent.Ticker"
  };

  private static final String JAVA_SOCKETS = "io.netty.channel.socket.nio.NioSocketChannel";

  private CallerIoSupport() {}

  /** Names what is missing and what to do about it; null if the caller loop can be used. */
  static @Nullable String missing() {
    String netty = missingOfNetty(ClassPath.ours());
    return netty != null ? netty : missingOfSockets(Transports.socketChannelClass().getName());
  }

  static @Nullable String missingOfNetty(ClassPath path) {
    for (String name : NEEDED) {
      if (!path.has(name)) {
        return "it needs Netty 4.2 or newer, and the class path does not have " + name;
      }
    }
    return null;
  }

  /** Lettuce prefers a native transport where it finds one, and that needs its own event loops. */
  static @Nullable String missingOfSockets(String socketChannel) {
    if (socketChannel.equals(JAVA_SOCKETS)) {
      return null;
    }
    return "it needs Java's own sockets, and Lettuce uses a native transport of Netty here ("
        + socketChannel
        + "); remove the transport from the class path or set the system property"
        + " io.lettuce.core.epoll (kqueue, iouring) to false";
  }
}
