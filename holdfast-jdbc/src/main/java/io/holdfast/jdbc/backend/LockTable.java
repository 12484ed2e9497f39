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

/** The SQL of the table of locks, and nothing else: reads rows and writes rows. */
final class LockTable {
  private static final int LONGEST_HOLDER = 250;
  private static final String TELL =
      "SELECT pg_notify(m.channel, m.payload) FROM unnest(?, ?) AS m(channel, payload)";
  private static final String TELL_DONE =
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
    // A server that took over, and had not heard of our last writes, may have come to the same
    // version in another way, but not to the same tick.
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
    Map<String, Resource> wanted = new LinkedHashMap<>();
    resources.forEach(resource -> wanted.put(Row.idOf(resource.key()), resource));
    List<String> ids = new ArrayList<>(wanted.keySet());
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
          Resource resource = wanted.get(id);
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
    wanted.forEach((id, resource) -> found.putIfAbsent(id, new Row(resource, id, 0, 0, "")));
    return new Rows(found.values(), now, 0, asOf, floor, true);
  }

  private String readAll(int ids, boolean lock) {
    String marks = String.join(", ", Collections.nCopies(roundUp(ids), "?"));
    return lock ? dialect.lockingRead(table, marks) : dialect.read(table, marks);
  }

  /**
   * A row that need not be read.
   *
   * @param now the time at which it was written, or that it is now at least
   * @param doubtMicros by how much later it may be
   */
  Rows asKnown(Row row, long now, long doubtMicros) {
    Row copy = new Row(row.resource, row.id, row.version, row.tick, row.text);
    long asOf = nanoTime.getAsLong();
    return new Rows(List.of(copy), now, doubtMicros, asOf, leastTick.getAsLong(), false);
  }

  /** Few different statements, so that the database can keep them prepared. */
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

  /** Writes rows that are locked, or new. */
  void write(Session session, List<Row> changed, long now, List<Notification> letters)
      throws SQLException {
    List<Row> old = changed.stream().filter(Row::exists).toList();
    if (changed.size() == 1 && old.size() == 1) {
      write(session, update, changed.get(0), now, letters);
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
    send(session, letters);
  }

  /** Writes a row unless somebody else has written it since it was read; false if so. */
  boolean writeIfSame(Session session, Row row, long now, List<Notification> letters)
      throws SQLException {
    if (row.exists()) {
      return write(session, updateIfSame, row, now, letters);
    }
    insert(session, row, now); // a new key: there is nobody to tell
    return true;
  }

  /**
   * The same for a row that was free, if besides the database's time is between these two when it
   * does so. Who mends a row by hand may change neither version nor tick: it must still be free.
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

  private boolean write(Session session, String sql, Row row, long now, List<Notification> letters)
      throws SQLException {
    String whole = letters.isEmpty() ? sql : "WITH done AS (" + sql + " RETURNING id) " + TELL_DONE;
    try (PreparedStatement statement = session.prepare(whole)) {
      fill(statement, row, now);
      statement.setString(7, row.id);
      int next = 8;
      if (sql.equals(updateIfSame)) {
        statement.setLong(next++, row.version);
        statement.setLong(next++, row.tick);
      }
      if (letters.isEmpty()) {
        return statement.executeUpdate() == 1;
      }
      fill(session, statement, next, letters);
      try (ResultSet sent = statement.executeQuery()) {
        return sent.next();
      }
    }
  }

  /** Letters go out with the transaction. */
  private void send(Session session, List<Notification> letters) throws SQLException {
    if (letters.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = session.prepare(TELL)) {
      fill(session, statement, 1, letters);
      statement.executeQuery().close();
    }
  }

  private static void fill(
      Session session, PreparedStatement statement, int from, List<Notification> letters)
      throws SQLException {
    Object[] channels = letters.stream().map(Notification::channel).toArray();
    Object[] payloads = letters.stream().map(Notification::payload).toArray();
    statement.setArray(from, session.connection().createArrayOf("text", channels));
    statement.setArray(from + 1, session.connection().createArrayOf("text", payloads));
  }

  /**
   * The version starts with the time: a row that is removed and made again never has a version that
   * it had before.
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
    statement.setString(4, holder.substring(0, Math.min(holder.length(), LONGEST_HOLDER)));
    statement.setLong(5, state.obsoleteFrom(now));
    statement.setLong(6, now);
  }
}
