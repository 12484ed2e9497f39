package io.holdfast.jdbc.backend;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQLite ends transactions in ways of its own; none of them makes a rollback fail. */
class SessionTest {
  @TempDir private Path folder;

  private Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("locks"));
    try (var statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 0");
    }
    return connection;
  }

  private static Session session(Connection connection) {
    return new Session(connection, Dialect.SQLITE, true, 1);
  }

  @Test
  void aTransactionThatCouldNotBeginNeedsNoRollback() throws SQLException {
    try (Connection first = connect();
        Connection second = connect()) {
      session(first).begin();
      Session refused = session(second);
      assertThatThrownBy(refused::begin).hasMessageContaining("SQLITE_BUSY");
      assertThatCode(refused::rollback).doesNotThrowAnyException();
    }
  }

  @Test
  void aTransactionThatSqliteHasRolledBackItselfNeedsNoOther() throws SQLException {
    try (Connection connection = connect()) {
      Session session = session(connection);
      session.begin();
      session.execute("ROLLBACK"); // as after a full disk
      assertThatCode(session::rollback).doesNotThrowAnyException();
      assertThatCode(session::begin).doesNotThrowAnyException();
    }
  }
}
