package io.holdfast.bench.lock;

import io.holdfast.bench.store.Store;
import java.util.List;

/**
 * A library with the store it uses and the artifacts an application names to get it, from which its
 * class path follows. One that is not among the dependencies of this module takes no part.
 */
public enum Library {
  /** The floor: what a lock costs that does nothing but one script call each way. */
  LETTUCE(Store.REDIS, "io.lettuce:lettuce-core"),
  /** The floor of what Holdfast promises: the same, with the scripts of Holdfast. */
  LETTUCE_PROMISES(Store.REDIS, "io.holdfast:holdfast-redis"),
  /** Ours on Redis. */
  HOLDFAST_REDIS(Store.REDIS, "io.holdfast:holdfast-redis"),
  /** Redisson. */
  REDISSON(Store.REDIS, "org.redisson:redisson"),
  /** Spring Integration's RedisLockRegistry. */
  SPRING_REDIS(
      Store.REDIS,
      "org.springframework.integration:spring-integration-redis",
      "io.lettuce:lettuce-core"),
  /** ShedLock on Redis. */
  SHEDLOCK_REDIS(
      Store.REDIS,
      "net.javacrumbs.shedlock:shedlock-provider-redis-spring",
      "io.lettuce:lettuce-core"),
  /** Ours on ZooKeeper. */
  HOLDFAST_ZOOKEEPER(Store.ZOOKEEPER, "io.holdfast:holdfast-zookeeper"),
  /** Curator. */
  CURATOR(Store.ZOOKEEPER, "org.apache.curator:curator-recipes"),
  /** Ours on PostgreSQL. */
  HOLDFAST_POSTGRESQL(Store.POSTGRESQL, "io.holdfast:holdfast-jdbc", "org.postgresql:postgresql"),
  /** Spring Integration's JdbcLockRegistry. */
  SPRING_JDBC(
      Store.POSTGRESQL,
      "org.springframework.integration:spring-integration-jdbc",
      "com.zaxxer:HikariCP",
      "org.postgresql:postgresql"),
  /** ShedLock on JDBC. */
  SHEDLOCK_JDBC(
      Store.POSTGRESQL,
      "net.javacrumbs.shedlock:shedlock-provider-jdbc-template",
      "com.zaxxer:HikariCP",
      "org.postgresql:postgresql"),
  /** Ours on MariaDB. */
  HOLDFAST_MARIADB(
      Store.MARIADB, "io.holdfast:holdfast-jdbc", "org.mariadb.jdbc:mariadb-java-client"),
  /** Ours on H2. */
  HOLDFAST_H2(Store.H2, "io.holdfast:holdfast-jdbc", "com.h2database:h2"),
  /** Ours on SQLite. */
  HOLDFAST_SQLITE(Store.SQLITE, "io.holdfast:holdfast-jdbc", "org.xerial:sqlite-jdbc"),
  /** Ours in memory. */
  HOLDFAST_MEMORY(Store.MEMORY, "io.holdfast:holdfast-core");

  private final Store store;
  private final String artifacts;

  Library(Store store, String... artifacts) {
    this.store = store;
    this.artifacts = String.join(" ", artifacts);
  }

  /** Where its locks are kept. */
  public Store store() {
    return store;
  }

  /** What an application depends on, as {@code group:artifact}. */
  public List<String> artifacts() {
    return List.of(artifacts.split(" ", -1));
  }

  /** True for what nobody uses: it shows how little the store and its client can cost. */
  public boolean floor() {
    return this == LETTUCE || this == LETTUCE_PROMISES;
  }

  /** True for ours. */
  public boolean ours() {
    return name().startsWith("HOLDFAST");
  }
}
