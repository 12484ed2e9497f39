package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendException;
import java.util.Locale;

/** The differences between databases in the SQL of a lock. */
public enum Dialect {
  /**
   * {@code clock_timestamp()} is the only clock that advances during a transaction. The sub-select
   * defers its reading until the row is locked: a statement with FOR UPDATE evaluates its select
   * list before it waits for the lock.
   */
  POSTGRESQL(
      "org.postgresql:postgresql",
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
      "SELECT l.*, %s FROM (SELECT id, version, tick, state FROM %s WHERE id IN (%s) ORDER BY id"
          + " FOR UPDATE) l"),

  /**
   * MySQL and MariaDB. {@code UTC_TIMESTAMP} depends neither on the time zone of the session nor on
   * daylight saving time. It is the time at which the statement arrived, so never later than the
   * lock.
   */
  MYSQL(
      "org.mariadb.jdbc:mariadb-java-client or com.mysql:mysql-connector-j",
      "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
      Dialect.FOR_UPDATE),

  /** H2. */
  H2(
      "com.h2database:h2",
      "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
      Dialect.FOR_UPDATE),

  /** SQLite has no row locks: {@code BEGIN IMMEDIATE} locks the file against other writers. */
  SQLITE(
      "org.xerial:sqlite-jdbc",
      "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000",
      Dialect.PLAIN);

  private static final String PLAIN =
      "SELECT id, version, tick, state, %s FROM %s WHERE id IN (%s) ORDER BY id";
  private static final String FOR_UPDATE = PLAIN + " FOR UPDATE";

  private final String driver;
  private final String now;
  private final String lockingRead;

  Dialect(String driver, String now, String lockingRead) {
    this.driver = driver;
    this.now = now;
    this.lockingRead = lockingRead;
  }

  /** The dialect of a URL. */
  public static Dialect ofUrl(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    if (lower.startsWith("jdbc:postgresql:")) {
      return POSTGRESQL;
    } else if (lower.startsWith("jdbc:mysql:") || lower.startsWith("jdbc:mariadb:")) {
      return MYSQL;
    } else if (lower.startsWith("jdbc:h2:")) {
      return H2;
    } else if (lower.startsWith("jdbc:sqlite:")) {
      return SQLITE;
    }
    throw new IllegalArgumentException("the URL is of a database that Holdfast does not support");
  }

  /** The dialect of a product name. */
  public static Dialect ofProduct(String name) {
    return switch (name) {
      case "PostgreSQL" -> POSTGRESQL;
      case "MySQL", "MariaDB" -> MYSQL;
      case "H2" -> H2;
      case "SQLite" -> SQLITE;
      default ->
          throw new BackendException(
              "'%s' is not supported; PostgreSQL, MySQL, MariaDB, H2 and SQLite are"
                  .formatted(name),
              null);
    };
  }

  /** The driver that belongs on the class path. */
  String driver() {
    return driver;
  }

  /** Microseconds since 1970 by the clock of the database. */
  public String now() {
    return now;
  }

  /** Reads rows: id, version, tick, state, time. */
  String read(String table, String marks) {
    return PLAIN.formatted(now, table, marks);
  }

  /** The same; also locks the rows until the end of the transaction, in the order of their ids. */
  String lockingRead(String table, String marks) {
    return lockingRead.formatted(now, table, marks);
  }

  /** True if the tables are created by default, because such a database has no administrator. */
  public boolean createsTablesByItself(String url) {
    return this == SQLITE
        || (this == H2 && url.toLowerCase(Locale.ROOT).startsWith("jdbc:h2:mem:"));
  }

  /** SQLite has one writer at a time; more connections would only wait for each other. */
  public int usualConnections() {
    return this == SQLITE ? 1 : 4;
  }

  /** The name of the file with the tables. */
  public String schemaFile() {
    return name().toLowerCase(Locale.ROOT) + ".sql";
  }
}
