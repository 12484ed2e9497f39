package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How rows are read, changed by a step and written in one atomic operation. If another process
 * changes a row meanwhile, nothing has happened, and the operation is repeated.
 *
 * <pre>
 *   pessimistic                               optimistic
 *     BEGIN                                     SELECT ... WHERE id = ?
 *     SELECT ... WHERE id = ? FOR UPDATE        (step)
 *     (step)                                    UPDATE ... WHERE id = ? AND version = ? (*)
 *     UPDATE ... WHERE id = ?                   0 rows: again from the start
 *     COMMIT                                  (*) and tick, for the sake of a failover
 * </pre>
 *
 * <p>With the optimistic strategy, if no other process has used the key since this one did, an
 * acquire and a release are one statement each:
 *
 * <pre>
 *   acquire   UPDATE ... WHERE id = ? AND version = ? AND tick = ? AND state = ''
 *             AND (time) BETWEEN ? AND ?
 *   release   UPDATE ... WHERE id = ? AND version = ? AND tick = ?
 * </pre>
 *
 * <p>Both strategies may be used on one table at the same time: the pessimistic one also changes
 * the version.
 */
sealed interface Strategy {
  /** Another process has changed the row first. */
  final class Conflict extends SQLException {
    private static final long serialVersionUID = 1L;

    Conflict() {
      super("other processes keep changing the row", "40001");
    }
  }

  /** The result of a step, and the rows after it. */
  record Outcome<T>(T result, Rows rows) {}

  /**
   * Tries once.
   *
   * @throws SQLException a {@link SqlFaults#isConflict} or {@link SqlFaults#isDuplicate} if another
   *     process has changed the row first
   */
  <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
      throws SQLException;

  /** The same for an owner that acquires a key which is likely to be free. */
  default <T> Outcome<T> take(Session session, Resource key, Function<Rows, T> step)
      throws SQLException {
    return change(session, List.of(key), step);
  }

  /** The same for an owner that releases; a release does not depend on the present time. */
  default <T> Outcome<T> release(Session session, Resource key, Owner owner, Function<Rows, T> step)
      throws SQLException {
    return change(session, List.of(key), step);
  }

  /** Locks the rows before the step. */
  record Pessimistic(LockTable table, Notifier notifier) implements Strategy {
    @Override
    public <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
        throws SQLException {
      session.begin();
      Rows rows = table.read(session, keys, true);
      T result = step.apply(rows);
      List<Row> changed = rows.changed();
      if (changed.isEmpty()) {
        session.rollback();
      } else {
        table.write(session, changed, rows.nowMicros(), notifier.notificationsOf(rows));
        session.commit();
      }
      return new Outcome<>(result, rows);
    }
  }

  /** Writes a row only if no other process has written it since it was read. */
  final class Optimistic implements Strategy {
    private static final int MAX_KNOWN = 10_000;

    /** How much earlier, and how much later, than our estimate the database's time may be. */
    private static final long EARLIER_MICROS = 1_000;

    private static final long LATER_MICROS = 9_000;

    /**
     * A row as this process wrote it: with one holder or none, and without waiters.
     *
     * @param shared true if the row should be read the next time: others had used the key in
     *     between, or the estimate of the time was wrong
     */
    private record Known(Row row, long nowMicros, boolean shared) {
      boolean isFree() {
        return row.state().isUnused();
      }
    }

    private final LockTable table;
    private final Notifier notifier;
    private final LongSupplier guessMicros;
    private final Strategy severalRows;
    private final Map<String, Known> known = new ConcurrentHashMap<>(); // by key

    /**
     * @param guessMicros estimates the time that the database will read next; 0 if unknown
     */
    Optimistic(LockTable table, Notifier notifier, LongSupplier guessMicros) {
      this.table = table;
      this.notifier = notifier;
      this.guessMicros = guessMicros;
      this.severalRows = new Pessimistic(table, notifier);
    }

    /** Several rows are locked: it is likely that one of them changes in between. */
    @Override
    public <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
        throws SQLException {
      if (keys.size() == 1) {
        Known mine = known.get(keys.iterator().next().key());
        boolean shared = mine != null && mine.shared();
        return write(session, table.read(session, keys, false), step, shared);
      }
      Outcome<T> outcome = severalRows.change(session, keys, step);
      outcome.rows().changed().forEach(row -> remember(row, outcome.rows(), false));
      return outcome;
    }

    /**
     * If no other process has changed the row since this one left it free, and the database's time
     * is as estimated, neither need be read: the database checks both when it writes. A wrong
     * estimate costs a statement, so a key that others use as well is read until they stop.
     */
    @Override
    public <T> Outcome<T> take(Session session, Resource key, Function<Rows, T> step)
        throws SQLException {
      Known mine = known.remove(key.key());
      boolean free = mine != null && mine.isFree();
      long guess = mine != null && free && !mine.shared() ? guessMicros.getAsLong() : 0;
      if (mine != null && guess != 0) {
        Outcome<T> outcome = takeUnread(session, mine.row(), guess, step);
        if (outcome != null) {
          return outcome;
        }
      }
      Rows rows = table.read(session, List.of(key), false);
      boolean changed = mine != null && free && rows.row(key).version != mine.row().version;
      return write(session, rows, step, changed || guess != 0);
    }

    /**
     * Writes the lease as if it began at the earliest possible time, and promises the holder as
     * much less as the time is in doubt.
     *
     * @return null if nothing has happened, because the row or the time was not as expected, or
     *     because nothing would be written, which would prove nothing
     */
    private <T> @Nullable Outcome<T> takeUnread(
        Session session, Row row, long guess, Function<Rows, T> step) throws SQLException {
      long notBefore = guess - EARLIER_MICROS;
      long notAfter = guess + LATER_MICROS;
      Rows rows = table.asKnown(row, notBefore, notAfter - notBefore);
      T result = step.apply(rows);
      List<Row> changed = rows.changed();
      if (changed.size() != 1
          || !table.writeIfFreeAndThen(session, changed.get(0), notBefore, notAfter)) {
        return null;
      }
      remember(changed.get(0), rows, false);
      return new Outcome<>(result, rows);
    }

    /**
     * If no other process has changed the row since this one wrote it, it need not be read: the
     * write proves it. So only an owner that is known to hold, and changes the row by leaving, may
     * skip the read; the answer "not held" must be read. A release without a hold changes neither
     * the row nor what is remembered of it: a release is repeated if the answer to its acquire was
     * late.
     */
    @Override
    public <T> Outcome<T> release(
        Session session, Resource key, Owner owner, Function<Rows, T> step) throws SQLException {
      Known mine = known.get(key.key());
      if (mine != null && mine.row().state().isHolder(owner)) {
        known.remove(key.key());
        try {
          Rows rows = table.asKnown(mine.row(), mine.nowMicros(), 0);
          return write(session, rows, step, mine.shared());
        } catch (Conflict e) {
          // another process has changed the row: it is read now
        }
      }
      return write(session, table.read(session, List.of(key), false), step, true);
    }

    private <T> Outcome<T> write(Session session, Rows rows, Function<Rows, T> step, boolean shared)
        throws SQLException {
      T result = step.apply(rows);
      for (Row row : rows.changed()) { // there is one row: a statement is its own transaction
        if (!table.writeIfSame(session, row, rows.nowMicros(), notifier.notificationsOf(rows))) {
          throw new Conflict();
        }
        remember(row, rows, shared);
      }
      return new Outcome<>(result, rows);
    }

    private void remember(Row row, Rows rows, boolean shared) {
      ResourceState state = row.state();
      String key = row.resource.key();
      boolean simple = state.isUnused() || state.owners().size() == 1;
      if (!simple || state.hasWaiters()) {
        known.remove(key);
        return;
      }
      if (known.size() >= MAX_KNOWN) {
        known.clear();
      }
      Row written = row.asWritten(rows.nowMicros());
      known.put(key, new Known(written, rows.nowMicros(), shared));
    }
  }

  /** Tells other processes of a change, on databases that have notifications. */
  interface Notifier {
    /** The notifications to deliver when the change is committed. */
    List<Notification> notificationsOf(Rows rows);
  }
}
