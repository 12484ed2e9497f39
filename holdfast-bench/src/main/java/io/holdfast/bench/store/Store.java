package io.holdfast.bench.store;

/** Where locks are kept. To add one, say here how its real server is started. */
public enum Store {
  /** This process. */
  MEMORY,
  /** One Redis server. */
  REDIS,
  /** One ZooKeeper server. */
  ZOOKEEPER,
  /** PostgreSQL. */
  POSTGRESQL,
  /** MariaDB. */
  MARIADB,
  /** H2, as a server of its own. */
  H2,
  /** A file. */
  SQLITE;

  /** Starts the server. */
  StoreServer start(StoreEnvironment environment) {
    return switch (this) {
      case MEMORY -> new MemoryStoreServer();
      case REDIS -> new RedisStoreServer();
      case ZOOKEEPER -> new ZooKeeperStoreServer(environment);
      case POSTGRESQL -> new PostgresStoreServer(environment);
      case MARIADB -> new MariaDbStoreServer(environment);
      case H2 -> new H2StoreServer(environment);
      case SQLITE -> new SqliteStoreServer(environment);
    };
  }

  /** True if processes can share it. */
  public boolean sharedByProcesses() {
    return this != MEMORY;
  }
}
