package io.holdfast.cli.demo;

import io.holdfast.testservers.RedisServer;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

/** The Redis server of a demo: one that the user has named, or one of our own. */
final class StockServer implements AutoCloseable {
  private final String url;
  private final @Nullable RedisServer embedded;

  private StockServer(String url, @Nullable RedisServer embedded) {
    this.url = url;
    this.embedded = embedded;
  }

  /** Checks what can be checked of a URL without connecting. */
  static StockServer at(String url) {
    if (url.startsWith("memory:")) {
      throw new DemoRefusedException(
          "--url memory: cannot work here, because the workers are processes and processes do not"
              + " share memory; leave out --url for an embedded Redis",
          null);
    }
    if (!url.startsWith("redis://") && !url.startsWith("rediss://")) {
      throw new DemoRefusedException(
          "--url must start with redis:// or rediss://, because the demo keeps its stock in Redis",
          null);
    }
    try {
      RedisURI.create(url);
    } catch (RuntimeException e) {
      throw new DemoRefusedException(
          "--url should look like redis://[user:password@]host[:port][/database]", e);
    }
    return new StockServer(url, null);
  }

  /** Starts a server that lives as long as the demo. */
  static StockServer embedded() {
    try {
      RedisServer server = RedisServer.builder().start();
      return new StockServer(server.url(), server);
    } catch (RuntimeException e) {
      throw new DemoFailedException(
          "cannot start the embedded Redis (" + e.getMessage() + "); name another with --url", e);
    }
  }

  String url() {
    return url;
  }

  /**
   * A URL whose time-out, unless it says one itself, suits several processes that start at the same
   * time on a busy machine.
   */
  static String patient(String url) {
    return url.contains("timeout=") ? url : url + (url.contains("?") ? "&" : "?") + "timeout=20s";
  }

  boolean isEmbedded() {
    return embedded != null;
  }

  /** Where it is, without user and password. */
  String address() {
    RedisURI uri = RedisURI.create(url);
    return uri.getHost() + ":" + uri.getPort();
  }

  @Override
  public void close() {
    if (embedded != null) {
      embedded.close();
    }
  }
}
