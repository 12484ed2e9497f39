package io.holdfast.jdbc.backend;

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

  /** The same for one who gives up what it has, for which the present time does not matter. */
  default <T> Outcome<T> giveUp(Session session, Resource key, Function<Rows, T> step)
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
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    Optimistic(LockTable table, Post post) {
      this.table = table;
      this.post = post;
    }

    @Override
    public <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
        throws SQLException {
      return write(session, table.read(session, keys, false), step);
    }

    /** If nobody has touched the row since we wrote it, it need not be read. */
    @Override
    public <T> Outcome<T> giveUp(Session session, Resource key, Function<Rows, T> step)
        throws SQLException {
      Known mine = known.remove(Row.idOf(key.key()));
      if (mine != null) {
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
      List<Row> changed = rows.changed();
      List<Letter> letters = post.letters(rows);
      if (changed.size() == 1) { // one statement is a transaction by itself
        Row row = changed.get(0);
        if (!table.writeIfSame(session, row, rows.nowMicros(), letters)) {
          throw new Conflict();
        }
        remember(row, rows.nowMicros());
      } else if (!changed.isEmpty()) {
        session.begin();
        for (Row row : changed) {
          if (!table.writeIfSame(session, row, rows.nowMicros(), List.of())) {
            throw new Conflict();
          }
        }
        table.send(session, letters);
        session.commit();
        changed.forEach(row -> known.remove(row.id));
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
