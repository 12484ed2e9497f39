/** Locks in a table of PostgreSQL, MySQL, MariaDB, H2 or SQLite. */
// The driver of PostgreSQL has no module descriptor, and declares its name in its manifest.
@SuppressWarnings("requires-automatic")
module io.holdfast.jdbc {
  exports io.holdfast.jdbc;

  provides io.holdfast.spi.LockBackendProvider with
      io.holdfast.jdbc.JdbcBackendProvider;

  requires transitive io.holdfast.core;
  requires transitive java.sql;
  requires org.slf4j;
  // For LISTEN, where an application brings this driver. Its annotations are for the compiler.
  requires static org.postgresql.jdbc;
  requires static org.checkerframework.checker.qual;
  requires static org.jspecify;
}
