package io.holdfast.jdbc.backend;

import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The SQL of the table of locks: reads rows and writes rows. */
final class LockTable {
  private static final int MAX_HOLDER_LENGTH = 250;
  private static final String NOTIFY =
      "SELECT pg_notify(m.channel, m.payload) FROM unnest(?, ?) AS m(channel, payload)";
  private static final String NOTIFY_IF_DONE =
      "SELECT pg_notify(m.channel, m.payload) FROM done, unnest(?, ?) AS m(channel, payload)";

  private final Dialect dialect;
  private final String table;
  private final LongSupplier nanoTime;
  private final LongSupplier leastTick;
  private final String insert;
  private final String update;
  private final String updateIfSame;
  private final String updateIfFreeAndThen;
  private final String readOne;

  LockTable(Dialect dialect, String tables, LongSupplier nanoTime, LongSupplier leastTick) {
    this.dialect = dialect;
    this.table = tables + "lock";
    this.nanoTime = nanoTime;
    this.leastTick = leastTick;
    this.insert =
        "INSERT INTO "
            + table
            + " (kind, tick, state, holder, until_micros, used_micros, version, id, name)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    this.update =
        "UPDATE "
            + table
            + " SET kind = ?, tick = ?, state = ?, holder = ?, until_micros = ?, used_micros = ?,"
            + " version = version + 1 WHERE id = ?";
    // A server that took over without our last writes may have reached the same version in another
    // way, but not the same tick.
    this.updateIfSame = update + " AND version = ? AND tick = ?";
    this.updateIfFreeAndThen =
        updateIfSame + " AND state = '' AND " + dialect.now() + " BETWEEN ? AND ?";
    this.readOne = dialect.read(table, "?");
  }

  Dialect dialect() {
    return dialect;
  }

  /** The rows of these keys, with the time of the database. */
  Rows read(Session session, Collection<Resource> resources, boolean lock) throws SQLException {
    Map<String, Resource> byId = new LinkedHashMap<>();
    resources.forEach(resource -> byId.put(Row.idOf(resource.key()), resource));
    List<String> ids = new ArrayList<>(byId.keySet());
    String sql = ids.size() == 1 && !lock ? readOne : readAll(ids.size(), lock);
    Map<String, Row> found = new LinkedHashMap<>();
    long now = 0;
    long asOf = nanoTime.getAsLong();
    long floor = leastTick.getAsLong();
    try (PreparedStatement statement = session.prepare(sql)) {
      for (int i = 0; i < roundUp(ids.size()); i++) {
        statement.setString(i + 1, ids.get(Math.min(i, ids.size() - 1)));
      }
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          String id = result.getString(1);
          Resource resource = byId.get(id);
          if (resource != null) {
            Row row =
                new Row(resource, id, result.getLong(2), result.getLong(3), result.getString(4));
            found.put(id, row);
            now = Math.max(now, result.getLong(5));
          }
        }
      }
    }
    if (found.isEmpty()) {
      now = readTime(session);
    }
    byId.forEach((id, resource) -> found.putIfAbsent(id, new Row(resource, id, 0, 0, "")));
    return new Rows(found.values(), now, 0, asOf, floor, true);
  }

  private String readAll(int ids, boolean lock) {
    String marks = String.join(", ", Collections.nCopies(roundUp(ids), "?"));
    return lock ? dialect.lockingRead(table, marks) : dialect.read(table, marks);
  }

  /**
   * A row that need not be read, because this process knows what it wrote there.
   *
   * @param now the time at which it was written, or a lower bound of the present time
   * @param doubtMicros how much later the present time may be
   */
  Rows asKnown(Row row, long now, long doubtMicros) {
    Row copy = new Row(row.resource, row.id, row.version, row.tick, row.text);
    long asOf = nanoTime.getAsLong();
    return new Rows(List.of(copy), now, doubtMicros, asOf, leastTick.getAsLong(), false);
  }

  /** Keeps the number of different statements small, so that the database can prepare them. */
  private static int roundUp(int number) {
    int power = 1;
    while (power < number) {
      power *= 2;
    }
    return power;
  }

  long readTime(Session session) throws SQLException {
    try (PreparedStatement statement = session.prepare("SELECT " + dialect.now());
        ResultSet result = statement.executeQuery()) {
      result.next();
      return result.getLong(1);
    }
  }

  /** Writes rows that this transaction has locked, and new rows. */
  void write(Session session, List<Row> changed, long now, List<Notification> notifications)
      throws SQLException {
    List<Row> old = changed.stream().filter(Row::exists).toList();
    if (changed.size() == 1 && old.size() == 1) {
      write(session, update, changed.get(0), now, notifications);
      return;
    }
    for (Row row : changed) {
      if (!row.exists()) {
        insert(session, row, now);
      }
    }
    if (!old.isEmpty()) {
      try (PreparedStatement statement = session.prepare(update)) {
        for (Row row : old) {
          fill(statement, row, now);
          statement.setString(7, row.id);
          statement.addBatch();
        }
        statement.executeBatch();
      }
    }
    send(session, notifications);
  }

  /** Writes a row; false if another process has written it since it was read. */
  boolean writeIfSame(Session session, Row row, long now, List<Notification> notifications)
      throws SQLException {
    if (row.exists()) {
      return write(session, updateIfSame, row, now, notifications);
    }
    insert(session, row, now); // a new key has no waiters to notify
    return true;
  }

  /**
   * The same for a row that was free; false also if the database's time is not within these limits.
   * The row must still be free, because an operator who repairs a row may leave its version and
   * tick as they are.
   */
  boolean writeIfFreeAndThen(Session session, Row row, long notBefore, long notAfter)
      throws SQLException {
    try (PreparedStatement statement = session.prepare(updateIfFreeAndThen)) {
      fill(statement, row, notBefore);
      statement.setString(7, row.id);
      statement.setLong(8, row.version);
      statement.setLong(9, row.tick);
      statement.setLong(10, notBefore);
      statement.setLong(11, notAfter);
      return statement.executeUpdate() == 1;
    }
  }

  private boolean write(
      Session session, String sql, Row row, long now, List<Notification> notifications)
      throws SQLException {
    String whole =
        notifications.isEmpty() ? sql : "WITH done AS (" + sql + " RETURNING id) " + NOTIFY_IF_DONE;
    try (PreparedStatement statement = session.prepare(whole)) {
      fill(statement, row, now);
      statement.setString(7, row.id);
      int next = 8;
      if (sql.equals(updateIfSame)) {
        statement.setLong(next++, row.version);
        statement.setLong(next++, row.tick);
      }
      if (notifications.isEmpty()) {
        return statement.executeUpdate() == 1;
      }
      fill(session, statement, next, notifications);
      try (ResultSet sent = statement.executeQuery()) {
        return sent.next();
      }
    }
  }

  /** Sends notifications as part of the transaction. */
  private void send(Session session, List<Notification> notifications) throws SQLException {
    if (notifications.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = session.prepare(NOTIFY)) {
      fill(session, statement, 1, notifications);
      statement.executeQuery().close();
    }
  }

  private static void fill(
      Session session, PreparedStatement statement, int from, List<Notification> notifications)
      throws SQLException {
    Object[] channels = notifications.stream().map(Notification::channel).toArray();
    Object[] payloads = notifications.stream().map(Notification::payload).toArray();
    statement.setArray(from, session.connection().createArrayOf("text", channels));
    statement.setArray(from + 1, session.connection().createArrayOf("text", payloads));
  }

  /**
   * The version starts with the time, so that a row that is deleted and created again does not have
   * a version that it had before.
   */
  private void insert(Session session, Row row, long now) throws SQLException {
    try (PreparedStatement statement = session.prepare(insert)) {
      fill(statement, row, now);
      statement.setLong(7, now);
      statement.setString(8, row.id);
      statement.setString(9, Ascii.escape(row.resource.key()));
      statement.executeUpdate();
    }
  }

  private static void fill(PreparedStatement statement, Row row, long now) throws SQLException {
    ResourceState state = row.state();
    Resource.Kind kind = state.kind();
    String holder = Ascii.escape(state.holderText());
    statement.setString(1, kind == null ? "" : kind.text());
    statement.setLong(2, state.lastTick());
    statement.setString(3, row.newText());
    statement.setString(4, holder.substring(0, Math.min(holder.length(), MAX_HOLDER_LENGTH)));
    statement.setLong(5, state.obsoleteFrom(now));
    statement.setLong(6, now);
  }
}
