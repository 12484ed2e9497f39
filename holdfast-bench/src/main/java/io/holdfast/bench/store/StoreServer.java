package io.holdfast.bench.store;

import java.util.Map;

/** A running server, with meters. */
public interface StoreServer extends AutoCloseable {
  /** Name and version, and whatever matters about how it was started. */
  String description();

  /** Where clients connect. */
  String url();

  /** The port of the server; zero if there is no network between. */
  int port();

  /** Where clients connect who take another way to the server, which begins at this port. */
  String urlAt(int port);

  /** What it has done since its start. */
  default Traffic traffic() {
    return Traffic.UNKNOWN;
  }

  /** CPU time since its start; zero if it has no process of its own. */
  default long cpuNanos() {
    return 0;
  }

  /** How many connections clients have; negative when the server does not tell. */
  default int connections() {
    return -1;
  }

  /** Watches for a while which commands clients send, and which the server calls by itself. */
  default Watch watch() {
    return Map::of;
  }

  @Override
  void close();

  /** A watch that is under way. */
  @FunctionalInterface
  interface Watch {
    /** Ends it. For each command which of its calls were sent by clients, as a share of one. */
    Map<String, Double> sharesOfClients();
  }
}
