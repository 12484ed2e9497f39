package io.holdfast.zookeeper;

import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;

/** What a server with nothing else to do has counted, without the questions that are asked here. */
final class ServerCounts {
  /** A client of {@link Patience#LASTING} that sends nothing else says that it lives. */
  private static final Duration SIGN_OF_LIFE = Duration.ofMillis(60_000 / 8);

  private final ZooKeeperServer server;
  private long asked;

  ServerCounts(ZooKeeperServer server) {
    this.server = server;
  }

  /** Requests of all clients. */
  long requests() {
    return number("Received: ", 10) - asked;
  }

  /** Transactions, which are writes and the beginning and end of sessions. */
  long transactions() {
    return number("Zxid: 0x", 16);
  }

  /**
   * True if somebody who waits watches the one before it. That is the last thing it asks for before
   * it waits. The server does not say who watches for its own end, which is a watch of children.
   */
  boolean isSomebodyWatched(String key) {
    asked++;
    return ZooKeeperNodes.ask("127.0.0.1", server.port(), "wchp").stream()
        .anyMatch(path -> path.startsWith("/holdfast/") && path.contains("/" + key + "/"));
  }

  /** How many requests so many clients may have sent since then only to say that they live. */
  static long signsOfLife(long since, int clients) {
    return (System.nanoTime() - since) / SIGN_OF_LIFE.toNanos() * clients;
  }

  private long number(String prefix, int radix) {
    asked++; // the question itself counts as well
    return ZooKeeperNodes.ask("127.0.0.1", server.port(), "srvr").stream()
        .filter(line -> line.startsWith(prefix))
        .mapToLong(line -> Long.parseLong(line.substring(prefix.length()), radix))
        .findFirst()
        .orElseThrow();
  }
}
