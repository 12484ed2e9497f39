package io.holdfast.jdbc;

import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.jdbc.backend.Settings;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options of the engine. In a URL they start with {@code holdfast.}; this class is for an
 * application that provides its own data source:
 *
 * <pre>{@code
 * JdbcOptions options = JdbcOptions.defaults().pessimistic().createSchema();
 * LockManager manager = LockManager.builder("jdbc:orders")
 *     .engine(JdbcBackendProvider.using(dataSource, options))
 *     .build();
 * }</pre>
 *
 * <p>Immutable; every method returns a new object.
 */
public final class JdbcOptions {
  private static final Pattern NAME =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,40}\\.)?[A-Za-z_][A-Za-z0-9_]{0,40}");
  private static final JdbcOptions DEFAULTS =
      new JdbcOptions(
          true, null, "holdfast_", Duration.ofSeconds(2), null, Duration.ofMillis(100), true);

  private final boolean optimistic;
  private final @Nullable Boolean createSchema;
  private final String tables;
  private final Duration timeout;
  private final @Nullable Integer connections;
  private final Duration poll;
  private final boolean listen;

  private JdbcOptions(
      boolean optimistic,
      @Nullable Boolean createSchema,
      String tables,
      Duration timeout,
      @Nullable Integer connections,
      Duration poll,
      boolean listen) {
    this.optimistic = optimistic;
    this.createSchema = createSchema;
    this.tables = tables;
    this.timeout = timeout;
    this.connections = connections;
    this.poll = poll;
    this.listen = listen;
  }

  /** The default options. */
  public static JdbcOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Compares and sets the version of a row, and repeats if another process has changed it; the
   * default.
   */
  public JdbcOptions optimistic() {
    return new JdbcOptions(true, createSchema, tables, timeout, connections, poll, listen);
  }

  /** Locks a row with SELECT ... FOR UPDATE while it is changed. */
  public JdbcOptions pessimistic() {
    return new JdbcOptions(false, createSchema, tables, timeout, connections, poll, listen);
  }

  /** Creates the tables if they are missing; the default for SQLite and for H2 in memory. */
  public JdbcOptions createSchema() {
    return createSchema(true);
  }

  /** Whether to create the tables if they are missing. */
  public JdbcOptions createSchema(boolean create) {
    return new JdbcOptions(optimistic, create, tables, timeout, connections, poll, listen);
  }

  /**
   * The prefix of the names of the tables, perhaps with a schema: {@code locks.holdfast_}. Default
   * {@code holdfast_}.
   */
  public JdbcOptions tables(String prefix) {
    requireName(prefix);
    return new JdbcOptions(optimistic, createSchema, prefix, timeout, connections, poll, listen);
  }

  /** The longest time that one request to the database may take; default two seconds. */
  public JdbcOptions timeout(Duration time) {
    requireWithin("timeout", time, Duration.ofMillis(100), Duration.ofMinutes(5));
    return new JdbcOptions(optimistic, createSchema, tables, time, connections, poll, listen);
  }

  /** The number of connections used at a time; default 4, for SQLite 1. */
  public JdbcOptions connections(int number) {
    if (number < 1 || number > 100) {
      throw new IllegalArgumentException("connections is from 1 to 100, not " + number);
    }
    return new JdbcOptions(optimistic, createSchema, tables, timeout, number, poll, listen);
  }

  /**
   * The longest interval between two polls of the rows that owners wait for, where no notifications
   * arrive; default 100 ms.
   */
  public JdbcOptions poll(Duration longest) {
    requireWithin("poll", longest, Duration.ofMillis(1), Duration.ofMinutes(1));
    return new JdbcOptions(optimistic, createSchema, tables, timeout, connections, longest, listen);
  }

  /**
   * Whether to use LISTEN and NOTIFY on PostgreSQL, for which one connection is kept; default true.
   * Without them rows are polled, as on other databases.
   */
  public JdbcOptions listen(boolean yes) {
    return new JdbcOptions(optimistic, createSchema, tables, timeout, connections, poll, yes);
  }

  static void requireName(String prefix) {
    if (!NAME.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "tables is a plain name such as holdfast_ or myschema.holdfast_: letters, digits and _");
    }
  }

  private static void requireWithin(String what, Duration time, Duration least, Duration most) {
    if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s is from %d ms to %d s, not %d ms"
              .formatted(what, least.toMillis(), most.toSeconds(), time.toMillis()));
    }
  }

  Settings settings(Dialect dialect, boolean createByDefault) {
    return new Settings(
        optimistic,
        createSchema != null ? createSchema : createByDefault,
        tables,
        timeout,
        connections != null ? connections : dialect.usualConnections(),
        poll,
        listen);
  }
}
