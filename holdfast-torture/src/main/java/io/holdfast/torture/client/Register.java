package io.holdfast.torture.client;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Two registers per key, in the kind of store that the locks are in: one looks at the token of
 * whoever writes, one at nothing. Each call is one atomic step in the store. An exception means
 * that it may or may not have been done.
 */
interface Register extends AutoCloseable {
  /** What a register has: the token and value of the last write; no value if there was none. */
  record Content(long token, String value) {}

  /**
   * Writes if no larger token has been here.
   *
   * @return what was replaced; null if the token is too small
   */
  @Nullable Content writeFenced(String key, long token, String value) throws IOException;

  /** Writes in any case, and returns what was replaced. */
  Content writePlain(String key, long token, String value) throws IOException;

  /** Reads. */
  Content read(String key, boolean fenced) throws IOException;

  @Override
  void close();

  /** The register for a URL. */
  static Register connect(String url) {
    if (url.startsWith("redis:")) {
      return new RedisRegister(url);
    }
    if (url.startsWith("zookeeper:")) {
      return new ZooKeeperRegister(url.substring("zookeeper://".length()));
    }
    return new JdbcRegister(url);
  }
}
