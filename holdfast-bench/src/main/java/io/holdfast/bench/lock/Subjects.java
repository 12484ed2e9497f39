package io.holdfast.bench.lock;

import static io.holdfast.bench.lock.Library.CURATOR;
import static io.holdfast.bench.lock.Library.HOLDFAST_H2;
import static io.holdfast.bench.lock.Library.HOLDFAST_MARIADB;
import static io.holdfast.bench.lock.Library.HOLDFAST_MEMORY;
import static io.holdfast.bench.lock.Library.HOLDFAST_POSTGRESQL;
import static io.holdfast.bench.lock.Library.HOLDFAST_REDIS;
import static io.holdfast.bench.lock.Library.HOLDFAST_SQLITE;
import static io.holdfast.bench.lock.Library.HOLDFAST_ZOOKEEPER;
import static io.holdfast.bench.lock.Library.LETTUCE;
import static io.holdfast.bench.lock.Library.LETTUCE_PROMISES;
import static io.holdfast.bench.lock.Library.REDISSON;
import static io.holdfast.bench.lock.Library.SHEDLOCK_JDBC;
import static io.holdfast.bench.lock.Library.SHEDLOCK_REDIS;
import static io.holdfast.bench.lock.Library.SPRING_JDBC;
import static io.holdfast.bench.lock.Library.SPRING_REDIS;

import java.util.List;

/** Everything that is measured, by name. To add a peer or an engine, add it here. */
public final class Subjects {
  public static final Subject FLOOR = plain("raw Lettuce (floor)", LETTUCE);
  public static final Subject FLOOR_OF_PROMISES =
      plain("raw Lettuce, scripts of Holdfast", LETTUCE_PROMISES);
  public static final Subject FLOOR_PIPELINED =
      new Subject(
          "raw Lettuce, scripts of Holdfast, release not awaited",
          LETTUCE_PROMISES,
          LockKind.PIPELINED);
  public static final Subject FLOOR_OF_HANDOVER =
      new Subject("raw Lettuce, in order, by a message (floor)", LETTUCE, LockKind.PUBSUB);
  public static final Subject HOLDFAST = plain("Holdfast", HOLDFAST_REDIS);
  public static final Subject HOLDFAST_FAIR =
      new Subject("Holdfast fair", HOLDFAST_REDIS, LockKind.FAIR);
  public static final Subject HOLDFAST_PIPELINED =
      new Subject("Holdfast, pipelined release", HOLDFAST_REDIS, LockKind.PIPELINED);
  public static final Subject HOLDFAST_LINGER =
      new Subject("Holdfast, linger", HOLDFAST_REDIS, LockKind.LINGER);
  public static final Subject REDISSON_PLAIN = plain("Redisson", REDISSON);
  public static final Subject REDISSON_SPIN = new Subject("Redisson spin", REDISSON, LockKind.SPIN);
  public static final Subject REDISSON_FAIR = new Subject("Redisson fair", REDISSON, LockKind.FAIR);
  public static final Subject REDISSON_FENCED =
      new Subject("Redisson fenced", REDISSON, LockKind.FENCED);
  public static final Subject SPRING_SPIN =
      new Subject("Spring Integration Redis, spin", SPRING_REDIS, LockKind.SPIN);
  public static final Subject SPRING_PUBSUB =
      new Subject("Spring Integration Redis, pub/sub", SPRING_REDIS, LockKind.PUBSUB);
  public static final Subject SHEDLOCK = plain("ShedLock Redis", SHEDLOCK_REDIS);

  public static final Subject ZOOKEEPER = plain("Holdfast ZooKeeper", HOLDFAST_ZOOKEEPER);
  public static final Subject CURATOR_MUTEX = plain("Curator", CURATOR);

  public static final Subject POSTGRESQL = plain("Holdfast PostgreSQL", HOLDFAST_POSTGRESQL);
  public static final Subject SPRING_SQL = plain("Spring Integration JDBC", SPRING_JDBC);
  public static final Subject SHEDLOCK_SQL = plain("ShedLock JDBC", SHEDLOCK_JDBC);

  /** Our engines, each with its real server. */
  public static final List<Subject> ENGINES =
      List.of(
          plain("memory", HOLDFAST_MEMORY),
          plain("Redis", HOLDFAST_REDIS),
          plain("ZooKeeper", HOLDFAST_ZOOKEEPER),
          plain("PostgreSQL", HOLDFAST_POSTGRESQL),
          plain("MariaDB", HOLDFAST_MARIADB),
          plain("H2", HOLDFAST_H2),
          plain("SQLite", HOLDFAST_SQLITE));

  private Subjects() {}

  /** The same kind of lock of every library that has it and is on Redis or ZooKeeper. */
  public static List<Subject> ofKind(LockKind kind, String name) {
    return List.of(
        new Subject("Holdfast " + name, HOLDFAST_REDIS, kind),
        new Subject("Redisson " + name, REDISSON, kind),
        new Subject("Holdfast ZooKeeper " + name, HOLDFAST_ZOOKEEPER, kind),
        new Subject("Curator " + name, CURATOR, kind));
  }

  private static Subject plain(String label, Library library) {
    return new Subject(label, library, LockKind.PLAIN);
  }
}
