package io.holdfast.redis;

/**
 * Who does the input and output of a manager's connections. By default the class path decides;
 * {@code ?io=caller} or {@code ?io=netty} in the URL, or {@link RedisBackendProvider#io}, choose by
 * hand.
 */
public enum Io {
  /**
   * The thread that waits for an answer reads it itself, which saves two of four wake-ups. Needs
   * Netty 4.2 and Java's own sockets. The default where it is possible.
   */
  CALLER,

  /** An ordinary event loop of Netty, with threads of its own. Works everywhere. */
  NETTY
}
