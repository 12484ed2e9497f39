package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendException;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells what an exception of a driver means: repeat at once, repeat later, or give up. An unknown
 * fault is taken for a transient one.
 */
final class SqlFaults {
  /** Deadlock or serialization failure: the database has rolled the transaction back. */
  private static final Set<String> ROLLED_BACK = Set.of("40001", "40P01", "40000");

  private static final int MYSQL_LOCK_WAIT = 1205;
  private static final int MYSQL_RECORD_CHANGED = 1020;
  private static final int H2_LOCK_TIMEOUT = 50200;
  private static final int H2_CONCURRENT_UPDATE = 90131;
  private static final int H2_NO_PERMISSION = 90096;
  private static final int SQLITE_ERROR = 1;
  private static final int SQLITE_BUSY = 5;
  private static final int SQLITE_LOCKED = 6;
  private static final int SQLITE_SCHEMA = 17;
  private static final int SQLITE_CONSTRAINT = 19;

  /** SQLITE_SCHEMA: a table was created between the preparation and the start of a statement. */
  private static final Set<Integer> SQLITE_CONFLICTS =
      Set.of(SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA);

  /** Read-only, corrupt, full, cannot be opened, not a database. */
  private static final Set<Integer> SQLITE_LASTING = Set.of(8, 11, 13, 14, 26);

  private SqlFaults() {}

  /** Another process was faster, and nothing has happened: repeat at once. */
  static boolean isConflict(SQLException fault, Dialect dialect) {
    return any(
        fault,
        e -> {
          if (ROLLED_BACK.contains(state(e))) {
            return true;
          }
          int code = e.getErrorCode();
          return switch (dialect) {
            case POSTGRESQL -> false;
            case MYSQL -> code == MYSQL_LOCK_WAIT || code == MYSQL_RECORD_CHANGED;
            case H2 -> code == H2_LOCK_TIMEOUT || code == H2_CONCURRENT_UPDATE;
            case SQLITE -> SQLITE_CONFLICTS.contains(code & 0xff);
          };
        });
  }

  /** The row exists already. */
  static boolean isDuplicate(SQLException fault, Dialect dialect) {
    return any(
        fault,
        e ->
            dialect == Dialect.SQLITE
                ? (e.getErrorCode() & 0xff) == SQLITE_CONSTRAINT
                : state(e).startsWith("23"));
  }

  /** The table does not exist. */
  static boolean isMissingTable(SQLException fault, Dialect dialect) {
    return any(
        fault,
        e ->
            switch (dialect) {
              case POSTGRESQL -> state(e).equals("42P01") || state(e).equals("3F000");
              case MYSQL -> state(e).equals("42S02");
              case H2 -> state(e).startsWith("42S0") || state(e).equals("90079");
              case SQLITE ->
                  e.getErrorCode() == SQLITE_ERROR
                      && String.valueOf(e.getMessage()).contains("no such table");
            });
  }

  /** Another try would fail too. */
  static boolean isLasting(SQLException fault, Dialect dialect) {
    if (isConflict(fault, dialect)) {
      return false;
    }
    return any(
        fault,
        e -> {
          String state = state(e);
          boolean refused =
              state.startsWith("42")
                  || state.startsWith("28")
                  || state.startsWith("22")
                  || state.startsWith("3D")
                  || state.startsWith("3F");
          return switch (dialect) {
            case H2 -> refused || e.getErrorCode() == H2_NO_PERMISSION;
            case SQLITE ->
                e.getErrorCode() == SQLITE_ERROR
                    || SQLITE_LASTING.contains(e.getErrorCode() & 0xff);
            default -> refused;
          };
        });
  }

  /** Gives advice for a lasting fault. */
  static BackendException explain(SQLException fault, Dialect dialect, Settings settings) {
    String tables = settings.tables();
    String advice;
    if (isMissingTable(fault, dialect)) {
      advice = missingTables(dialect, tables);
    } else if (state(fault).equals("42501")
        || state(fault).startsWith("28")
        || fault.getErrorCode() == H2_NO_PERMISSION
        || fault.getErrorCode() == 1142) {
      advice =
          "the database user lacks a right; it needs SELECT, INSERT and UPDATE on %slock and SELECT on %sschema"
              .formatted(tables, tables);
    } else {
      advice = "the database refused the request";
    }
    return new BackendException(advice + " (" + fault.getMessage() + ")", fault);
  }

  static String missingTables(Dialect dialect, String tables) {
    return ("the tables %slock, %sfence and %sschema are missing; create them with io/holdfast/jdbc/schema/%s from"
            + " the jar, or let Holdfast do it with holdfast.schema=create in the URL")
        .formatted(tables, tables, tables, dialect.schemaFile());
  }

  private static String state(SQLException fault) {
    String state = fault.getSQLState();
    return state == null ? "" : state;
  }

  /** The significant exception of a batch may be a following one or a cause. */
  private static boolean any(SQLException fault, Predicate<SQLException> test) {
    int depth = 0;
    for (SQLException e = fault; e != null && depth < 20; e = e.getNextException(), depth++) {
      if (test.test(e)) {
        return true;
      }
      if (e.getCause() instanceof SQLException cause && cause != e && test.test(cause)) {
        return true;
      }
    }
    return false;
  }
}
