package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.ResourceState;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * How rows are read, changed by a step and written in one atomic act. A try may find that somebody
 * else was faster; then nothing has happened, and the whole of it is done again.
 *
 * <pre>
 *   pessimistic                               optimistic
 *     BEGIN                                     SELECT ... WHERE id = ?
 *     SELECT ... WHERE id = ? FOR UPDATE        (step)
 *     (step)                                    UPDATE ... WHERE id = ? AND version = ?
 *     UPDATE ... WHERE id = ?                   0 rows: again from the start
 *     COMMIT
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

    /** A row as we wrote it, with one holder and nobody who waits. */
    private record Known(Row row, long nowMicros) {}

    private final LockTable table;
    private final Post post;
    private final Strategy severalRows;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    Optimistic(LockTable table, Post post) {
      this.table = table;
      this.post = post;
      this.severalRows = new Pessimistic(table, post);
    }

    /** Several rows would rarely stay as they were for long enough: they are locked. */
    @Override
    public <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
        throws SQLException {
      if (keys.size() == 1) {
        return write(session, table.read(session, keys, false), step);
      }
      Outcome<T> outcome = severalRows.change(session, keys, step);
      outcome.rows().changed().forEach(row -> remember(row, outcome.rows().nowMicros()));
      return outcome;
    }

    /**
     * If nobody has touched the row since we wrote it, it need not be read. That is proved by
     * writing it, so only one who is known to be a holder, and changes it by leaving, may try: "not
     * held" must have been read.
     */
    @Override
    public <T> Outcome<T> giveUp(Session session, Resource key, Owner owner, Function<Rows, T> step)
        throws SQLException {
      Known mine = known.remove(Row.idOf(key.key()));
      if (mine != null && mine.row().state().isHolder(owner)) {
        try {
          return write(session, table.asKnown(mine.row(), mine.nowMicros()), step);
        } catch (Conflict e) {
          // somebody has: it is read now
        }
      }
      return change(session, List.of(key), step);
    }

    private <T> Outcome<T> write(Session session, Rows rows, Function<Rows, T> step)
        throws SQLException {
      T result = step.apply(rows);
      for (Row row : rows.changed()) { // it is one: a statement is a transaction by itself
        if (!table.writeIfSame(session, row, rows.nowMicros(), post.letters(rows))) {
          throw new Conflict();
        }
        remember(row, rows.nowMicros());
      }
      return new Outcome<>(result, rows);
    }

    private void remember(Row row, long now) {
      ResourceState state = row.state();
      if (state.owners().size() != 1 || state.hasWaiters()) {
        known.remove(row.id);
        return;
      }
      if (known.size() >= MOST_KNOWN) {
        known.clear();
      }
      known.put(row.id, new Known(row.asWritten(now), now));
    }
  }

  /** What to tell other processes of a change; nothing where the database carries no messages. */
  interface Post {
    /** The letters, to be delivered when the change is committed. */
    List<Letter> letters(Rows rows);
  }
}
