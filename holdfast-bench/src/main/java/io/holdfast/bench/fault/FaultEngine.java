package io.holdfast.bench.fault;

import io.holdfast.bench.lock.Library;
import java.util.List;
import java.util.stream.Collectors;

/** The engines that faults are done to, with what differs between them. */
public enum FaultEngine {
  REDIS("Redis", Library.HOLDFAST_REDIS),
  ZOOKEEPER("ZooKeeper", Library.HOLDFAST_ZOOKEEPER),
  ENSEMBLE("ZooKeeper, three servers", Library.HOLDFAST_ZOOKEEPER),
  POSTGRESQL("PostgreSQL", Library.HOLDFAST_POSTGRESQL),
  MARIADB("MariaDB", Library.HOLDFAST_MARIADB),
  H2("H2", Library.HOLDFAST_H2),
  SQLITE("SQLite", Library.HOLDFAST_SQLITE);

  private final String label;
  private final Library library;

  FaultEngine(String label, Library library) {
    this.label = label;
    this.library = library;
  }

  /** The head of its column. */
  public String label() {
    return label;
  }

  Library library() {
    return library;
  }

  /** False for faults that cannot happen to it: a file has no server and no connections. */
  boolean knows(Fault fault) {
    return switch (fault) {
      case CUT_SHORT, CUT_LONG, SERVER_RESTARTED, SERVER_PAUSED -> this != SQLITE;
      case LEADER_LOST -> this == ENSEMBLE;
      default -> true;
    };
  }

  /**
   * Where clients connect.
   *
   * @param ports of the servers, or of proxies in front of them
   * @param place the file of a store that has no server
   */
  String url(List<Integer> ports, String place) {
    String first = ports.isEmpty() ? "" : "127.0.0.1:" + ports.get(0);
    return switch (this) {
      case REDIS -> "redis://" + first;
      case ZOOKEEPER, ENSEMBLE ->
          "zookeeper://"
              + ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
      case POSTGRESQL ->
          "jdbc:postgresql://" + first + "/postgres?user=postgres&holdfast.schema=create";
      case MARIADB -> "jdbc:mariadb://" + first + "/test?user=root&holdfast.schema=create";
      case H2 -> "jdbc:h2:tcp://" + first + "/./locks;holdfast.schema=create";
      case SQLITE -> "jdbc:sqlite:" + place;
    };
  }
}
