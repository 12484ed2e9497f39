package io.holdfast.bench.lock;

/**
 * Connects a library. A switch, and not a table of constructors: only the chosen library is on the
 * class path of the process that calls this, and the others must not be touched.
 */
public final class Clients {
  private Clients() {}

  /** Connects. */
  public static LockClient connect(Library library, ClientSettings settings) {
    return switch (library) {
      case LETTUCE ->
          settings.kind() == LockKind.PUBSUB
              ? new HandoverFloorClient(settings)
              : new LettuceFloorClient(settings, FloorScripts.LEAST);
      case LETTUCE_PROMISES -> new LettuceFloorClient(settings, FloorScripts.OF_HOLDFAST);
      case REDISSON -> new RedissonLockClient(settings);
      case SPRING_REDIS -> new SpringRedisClient(settings);
      case SHEDLOCK_REDIS -> new ShedLockRedisClient(settings);
      case CURATOR -> new CuratorLockClient(settings);
      case SPRING_JDBC -> new SpringJdbcClient(settings);
      case SHEDLOCK_JDBC -> new ShedLockJdbcClient(settings);
      case HOLDFAST_REDIS,
          HOLDFAST_ZOOKEEPER,
          HOLDFAST_POSTGRESQL,
          HOLDFAST_MARIADB,
          HOLDFAST_H2,
          HOLDFAST_SQLITE,
          HOLDFAST_MEMORY ->
          new HoldfastClient(settings);
    };
  }

  static IllegalArgumentException noSuchKind(LockKind kind) {
    return new IllegalArgumentException("this library has no " + kind + " lock");
  }
}
