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
 * How rows are read, changed by a step and written in one atomic act. A try may find that somebody
 * else was faster; then nothing has happened, and the whole of it is done again.
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
 * <p>Optimistic, and nobody else has used the key since this process did, an acquire and a release
 * are one statement each:
 *
 * <pre>
 *   acquire   UPDATE ... WHERE id = ? AND version = ? AND tick = ? AND state = ''
 *             AND (time) BETWEEN ? AND ?
 *   release   UPDATE ... WHERE id = ? AND version = ? AND tick = ?
 * </pre>
 *
 * <p>Both may be used on one table at the same time: whoever locks a row changes its version too.
 */
sealed interface Strategy {
  /** The other one was faster. */
  final class Conflict extends SQLException {
    private static final long serialVersionUID = 1L;

    Conflict() {
      super("the row is changed by others all the time", "40001");
    }
  }

  /** What came of it, and the rows as they are now. */
  record Outcome<T>(T result, Rows rows) {}

  /**
   * Tries once.
   *
   * @throws SQLException a {@link SqlFaults#isConflict} or {@link SqlFaults#isDuplicate} when
   *     somebody else was faster
   */
  <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
      throws SQLException;

  /** The same for somebody who takes what may well be free. */
  default <T> Outcome<T> take(Session session, Resource key, Function<Rows, T> step)
      throws SQLException {
    return change(session, List.of(key), step);
  }

  /** The same for an owner who gives up what it has: the present time does not matter for that. */
  default <T> Outcome<T> giveUp(Session session, Resource key, Owner owner, Function<Rows, T> step)
      throws SQLException {
    return change(session, List.of(key), step);
  }

  /** Locks the rows first. */
  record Pessimistic(LockTable table, Post post) implements Strategy {
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
        table.write(session, changed, rows.nowMicros(), post.letters(rows));
        session.commit();
      }
      return new Outcome<>(result, rows);
    }
  }

  /** Writes only what nobody else has written since. */
  final class Optimistic implements Strategy {
    private static final int MOST_KNOWN = 10_000;

    /** How much earlier, and how much later, than we think the database's time may be. */
    private static final long EARLIER_MICROS = 1_000;

    private static final long LATER_MICROS = 9_000;

    /**
     * A row as we wrote it: with one holder or none, and nobody who waits.
     *
     * @param shared true if it is better read the next time: others had used the key since we did,
     *     or our guess of the time was wrong
     */
    private record Known(Row row, long nowMicros, boolean shared) {
      boolean isFree() {
        return row.state().isUnused();
      }
    }

    private final LockTable table;
    private final Post post;
    private final LongSupplier guessMicros;
    private final Strategy severalRows;
    private final Map<String, Known> known = new ConcurrentHashMap<>(); // by key

    /**
     * @param guessMicros about the time that the database will read next; 0 if that is not known
     */
    Optimistic(LockTable table, Post post, LongSupplier guessMicros) {
      this.table = table;
      this.post = post;
      this.guessMicros = guessMicros;
      this.severalRows = new Pessimistic(table, post);
    }

    /** Several rows would rarely stay as they were for long enough: they are locked. */
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
     * If nobody has touched the row since we left it free, and the database's time is what we think
     * it is, neither need be read: the database checks both when it writes. Who is wrong has sent a
     * statement for nothing, so a key that others use too is read, until they do not.
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
     * The lease is written as if it began at the earliest of the times that will do, and the holder
     * is promised so much less.
     *
     * @return null if nothing has happened, since one of the two was not so, or nothing is to be
     *     written, which would prove nothing
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
     * If nobody has touched the row since we wrote it, it need not be read. That is proved by
     * writing it, so only one who is known to be a holder, and changes it by leaving, may try: "not
     * held" must have been read. Who holds nothing changes nothing, be it of the row or of what is
     * known of it: a release is sent once more when its acquire was answered late.
     */
    @Override
    public <T> Outcome<T> giveUp(Session session, Resource key, Owner owner, Function<Rows, T> step)
        throws SQLException {
      Known mine = known.get(key.key());
      if (mine != null && mine.row().state().isHolder(owner)) {
        known.remove(key.key());
        try {
          Rows rows = table.asKnown(mine.row(), mine.nowMicros(), 0);
          return write(session, rows, step, mine.shared());
        } catch (Conflict e) {
          // somebody has: it is read now
        }
      }
      return write(session, table.read(session, List.of(key), false), step, true);
    }

    private <T> Outcome<T> write(Session session, Rows rows, Function<Rows, T> step, boolean shared)
        throws SQLException {
      T result = step.apply(rows);
      for (Row row : rows.changed()) { // it is one: a statement is a transaction by itself
        if (!table.writeIfSame(session, row, rows.nowMicros(), post.letters(rows))) {
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
      if (known.size() >= MOST_KNOWN) {
        known.clear();
      }
      Row written = row.asWritten(rows.nowMicros());
      known.put(key, new Known(written, rows.nowMicros(), shared));
    }
  }

  /** What to tell other processes of a change; nothing where the database carries no messages. */
  interface Post {
    /** The letters, to be delivered when the change is committed. */
    List<Notification> letters(Rows rows);
  }
}
