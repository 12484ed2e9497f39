package io.holdfast.torture.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The engines and topologies that can be tortured. To add one, say here how it is started. */
public enum EngineName {
  /** One Redis server. */
  REDIS,
  /** One ZooKeeper server. */
  ZOOKEEPER,
  /** Three ZooKeeper servers. */
  ZOOKEEPER_ENSEMBLE,
  /** PostgreSQL, rows compared. */
  POSTGRESQL,
  /** PostgreSQL, rows locked. */
  POSTGRESQL_PESSIMISTIC,
  /** MariaDB. */
  MARIADB,
  /** H2, as a server of its own. */
  H2,
  /** A file. */
  SQLITE;

  /** As on the command line: {@code zookeeper-ensemble}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The engine of that label. */
  public static EngineName of(String label) {
    return Arrays.stream(values())
        .filter(engine -> engine.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no engine "
                        + label
                        + "; there are "
                        + Arrays.stream(values()).map(EngineName::label).toList()));
  }

  /** Starts its servers. */
  public TortureStore start() {
    return switch (this) {
      case REDIS -> new RedisStore();
      case ZOOKEEPER -> new ZooKeeperStore(1);
      case ZOOKEEPER_ENSEMBLE -> new ZooKeeperStore(3);
      case POSTGRESQL -> new JdbcStore(new PostgresDatabase(), "optimistic");
      case POSTGRESQL_PESSIMISTIC -> new JdbcStore(new PostgresDatabase(), "pessimistic");
      case MARIADB -> new JdbcStore(new MariaDbDatabase(), "optimistic");
      case H2 -> new JdbcStore(new H2Database(), "optimistic");
      case SQLITE -> new JdbcStore(new SqliteDatabase(), "optimistic");
    };
  }

  /** All labels. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(EngineName::label).toList();
  }
}
