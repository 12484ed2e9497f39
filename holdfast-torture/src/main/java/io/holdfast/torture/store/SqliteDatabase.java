package io.holdfast.torture.store;

import io.holdfast.testservers.ServerProcess;
import io.holdfast.torture.nemesis.FaultKind;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** SQLite: a file that processes share, and no server between. */
final class SqliteDatabase implements Database {
  private final Path directory = ServerProcess.newDirectory("torture-sqlite");

  @Override
  public List<TortureServer> servers() {
    return List.of();
  }

  @Override
  public int port() {
    return 0;
  }

  @Override
  public String urlAt(int port) {
    return "jdbc:sqlite:" + directory.resolve("locks.db");
  }

  @Override
  public String registerUrl() {
    return urlAt(0) + "?busy_timeout=2000&transaction_mode=IMMEDIATE&journal_mode=WAL";
  }

  @Override
  public Set<FaultKind> faults() {
    // No clocks: its clock is that of the machine, which all processes share.
    return EnumSet.of(
        FaultKind.CLIENT_KILL,
        FaultKind.CLIENT_PAUSE,
        FaultKind.CLIENT_STALL,
        FaultKind.WIPE,
        FaultKind.FORGET_KEY,
        FaultKind.SLOW);
  }

  @Override
  public String connections() {
    return "";
  }

  @Override
  public String micros() {
    return "((julianday('now') - 2440587.5) * 86400000000)";
  }

  @Override
  public void block(Connection connection, String key) throws SQLException {
    connection.setAutoCommit(false); // begins as a writer, see the URL
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT COUNT(*) FROM holdfast_lock").close();
    }
  }

  @Override
  public void close() {
    ServerProcess.of("sqlite", List.of("true"), directory, java.util.Map.of()).close();
  }
}
