package io.holdfast.torture.client;

import io.holdfast.StaleTokenException;
import io.holdfast.jdbc.JdbcFencing;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Registers in a table: the fenced one is checked with {@link JdbcFencing} in the transaction that
 * writes it.
 */
final class JdbcRegister implements Register {
  private static final int TIMEOUT_SECONDS = 2;

  private final String url;
  private final String lock;
  private @Nullable Connection connection;

  JdbcRegister(String url) {
    this.url = url;
    this.lock = url.startsWith("jdbc:sqlite:") ? "" : " FOR UPDATE";
  }

  @Override
  public @Nullable Content writeFenced(String key, long token, String value) throws IOException {
    return inTransaction(
        open -> {
          try {
            JdbcFencing.check(open, key, token);
          } catch (StaleTokenException e) {
            return null;
          }
          return replace(open, "fenced:" + key, token, value);
        });
  }

  @Override
  public Content writePlain(String key, long token, String value) throws IOException {
    Content old = inTransaction(open -> replace(open, "plain:" + key, token, value));
    return old == null ? new Content(0, "") : old;
  }

  @Override
  public Content read(String key, boolean fenced) throws IOException {
    Content content =
        inTransaction(open -> select(open, (fenced ? "fenced:" : "plain:") + key, ""));
    return content == null ? new Content(0, "") : content;
  }

  private Content replace(Connection open, String id, long token, String value)
      throws SQLException {
    Content old = select(open, id, lock);
    String sql =
        old == null
            ? "INSERT INTO torture_register (token, content, id) VALUES (?, ?, ?)"
            : "UPDATE torture_register SET token = ?, content = ? WHERE id = ?";
    try (PreparedStatement update = open.prepareStatement(sql)) {
      update.setQueryTimeout(TIMEOUT_SECONDS);
      update.setLong(1, token);
      update.setString(2, value);
      update.setString(3, id);
      update.executeUpdate();
    }
    return old == null ? new Content(0, "") : old;
  }

  private static @Nullable Content select(Connection open, String id, String lock)
      throws SQLException {
    try (PreparedStatement query =
        open.prepareStatement("SELECT token, content FROM torture_register WHERE id = ?" + lock)) {
      query.setQueryTimeout(TIMEOUT_SECONDS);
      query.setString(1, id);
      try (ResultSet result = query.executeQuery()) {
        return result.next() ? new Content(result.getLong(1), result.getString(2)) : null;
      }
    }
  }

  private interface Step {
    @Nullable Content run(Connection open) throws SQLException;
  }

  private @Nullable Content inTransaction(Step step) throws IOException {
    try {
      Connection open = connection;
      if (open == null) {
        open = DriverManager.getConnection(url);
        connection = open;
      }
      open.setAutoCommit(false);
      Content content = step.run(open);
      if (content == null) {
        open.rollback();
      }
      // Commits. With commit() the driver of SQLite begins the next transaction at once, and keeps
      // all others from writing.
      open.setAutoCommit(true);
      return content;
    } catch (SQLException e) {
      close();
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        // as good as closed
      }
    }
  }
}
