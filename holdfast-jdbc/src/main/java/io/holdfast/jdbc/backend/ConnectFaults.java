package io.holdfast.jdbc.backend;

import io.holdfast.spi.BackendException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Explains why the first connection to a database failed: a sentence and advice for each cause,
 * then the message of the driver without the URL, which may contain a password.
 */
final class ConnectFaults {
  private static final int MYSQL_NO_PERMISSION_TO_DATABASE = 1044;
  private static final int MYSQL_UNKNOWN_DATABASE = 1049;
  private static final int MYSQL_TOO_MANY_CONNECTIONS = 1040;
  private static final int MYSQL_NO_PERMISSION_TO_TABLE = 1142;
  private static final int H2_NO_PERMISSION = 90096;
  private static final int H2_NO_ADMINISTRATOR = 90040;
  private static final Set<Integer> H2_UNKNOWN_DATABASE = Set.of(90013, 90124, 90146, 90149);
  private static final int SQLITE_READ_ONLY = 8;
  private static final int SQLITE_CANNOT_OPEN = 14;
  private static final int SQLITE_NO_DATABASE = 26;

  /** The limit for causes and following exceptions; a larger number would be a cycle. */
  private static final int MAX_EXCEPTIONS = 50;

  private final SQLException fault;
  private final @Nullable Dialect dialect;

  /**
   * @param dialect null if it is not known yet
   */
  ConnectFaults(SQLException fault, @Nullable Dialect dialect) {
    this.fault = fault;
    this.dialect = dialect;
  }

  /** The exception to throw. */
  BackendException explain(@Nullable Settings settings) {
    String words = String.valueOf(fault.getMessage());
    if (words.startsWith("No suitable driver") && dialect != null) {
      return new BackendException(
          "there is no JDBC driver for this URL on the class path; add " + dialect.driver(), fault);
    }
    String refusal = refusal(settings);
    if (refusal != null) {
      return new BackendException(with(refusal), cause());
    }
    String trouble = trouble();
    if (trouble != null) {
      return BackendException.unavailable(with(trouble), cause());
    }
    if (dialect != null && settings != null && SqlFaults.isLasting(fault, dialect)) {
      return SqlFaults.explain(fault, dialect, settings);
    }
    return BackendException.unavailable(
        with("the database cannot be reached; is it running, and is the URL right?"), cause());
  }

  private String with(String advice) {
    String words = String.valueOf(fault.getMessage());
    return advice + " (" + words.replaceAll("\"?jdbc:[^\\s\"]*\"?", "the URL") + ")";
  }

  private @Nullable SQLException cause() {
    boolean tellsTheUrl = has(each -> String.valueOf(each.getMessage()).contains("jdbc:"));
    return tellsTheUrl ? null : fault;
  }

  // ---- lasting faults

  private @Nullable String refusal(@Nullable Settings settings) {
    if (isSqlite(SQLITE_CANNOT_OPEN)) {
      return "the file cannot be opened; does its folder exist, and may this process write to it?";
    }
    if (isSqlite(SQLITE_NO_DATABASE)) {
      return "the file is no SQLite database; choose another file";
    }
    if (isState("3D")
        || isCode(MYSQL_UNKNOWN_DATABASE)
        || H2_UNKNOWN_DATABASE.stream().anyMatch(this::isCode)) {
      return "the server has no database of this name; create it, or correct the name in the URL";
    }
    if (isCode(MYSQL_NO_PERMISSION_TO_DATABASE)) {
      return "the user may not use this database; grant access, or check the name in the URL";
    }
    if (isState("28") || isMissingPassword()) {
      return "user or password is wrong or missing; special characters in the URL must be encoded as the"
          + " driver requires";
    }
    if (mayNotCreate(settings)) {
      return ("the user may not create the tables of Holdfast; grant the permission, or let an administrator"
              + " run io/holdfast/jdbc/schema/%s")
          .formatted(dialect == null ? "..." : dialect.schemaFile());
    }
    if (isCode(H2_NO_ADMINISTRATOR)) {
      return "an option in the URL is for administrators; remove it, or connect as an administrator";
    }
    if (has(SSLException.class::isInstance) || says("not support ssl")) {
      return "the TLS connection failed; does the server use TLS on this port, and does the driver trust"
          + " its certificate?";
    }
    return null;
  }

  /** PostgreSQL's driver has no SQL state for a missing password. */
  private boolean isMissingPassword() {
    return isState("08004")
        && String.valueOf(fault.getMessage()).toLowerCase(Locale.ROOT).contains("password");
  }

  /** Without permission to create tables, creating them is the first statement to fail. */
  private boolean mayNotCreate(@Nullable Settings settings) {
    if (settings == null || !settings.createSchema()) {
      return false;
    }
    String words = String.valueOf(fault.getMessage());
    return (isState("42501") && words.contains("schema ")) // not the table of that name
        || (isCode(MYSQL_NO_PERMISSION_TO_TABLE) && words.contains("CREATE"))
        || isCode(H2_NO_PERMISSION)
        || isSqlite(SQLITE_READ_ONLY);
  }

  // ---- transient faults

  private @Nullable String trouble() {
    if (has(UnknownHostException.class::isInstance)) {
      return "the host of the database is not known; is its name right, and can this machine resolve it?";
    }
    if (has(each -> each instanceof SocketTimeoutException || isConnectTimeout(each))) {
      return "the database does not answer; is the address right, does a firewall block it, or is it halted?";
    }
    if (has(ConnectException.class::isInstance) || says("connection refused")) {
      return "nothing listens there; is the database running, and is this its port?";
    }
    if (isState("57P03")) {
      return "the database is starting or stopping; try again";
    }
    if (isState("53300") || isCode(MYSQL_TOO_MANY_CONNECTIONS)) {
      return "the database has no connection left; raise its limit, or use fewer connections";
    }
    return null;
  }

  private static boolean isConnectTimeout(Throwable each) {
    return (each instanceof ConnectException || each instanceof SQLException)
        && String.valueOf(each.getMessage()).contains("timed out");
  }

  // ---- tests of the exception chain

  private boolean says(String words) {
    return has(each -> String.valueOf(each.getMessage()).toLowerCase(Locale.ROOT).contains(words));
  }

  private boolean isState(String beginning) {
    return has(
        each ->
            each instanceof SQLException known
                && known.getSQLState() != null
                && known.getSQLState().startsWith(beginning));
  }

  private boolean isCode(int code) {
    return dialect != Dialect.SQLITE
        && has(each -> each instanceof SQLException known && known.getErrorCode() == code);
  }

  private boolean isSqlite(int code) {
    return dialect == Dialect.SQLITE
        && has(each -> each instanceof SQLException known && (known.getErrorCode() & 0xff) == code);
  }

  private boolean has(Predicate<Throwable> test) {
    int seen = 0;
    for (SQLException each = fault; each != null; each = each.getNextException()) {
      for (Throwable cause = each; cause != null; cause = cause.getCause()) {
        if (test.test(cause)) {
          return true;
        }
        if (++seen > MAX_EXCEPTIONS) {
          return false;
        }
      }
    }
    return false;
  }
}
