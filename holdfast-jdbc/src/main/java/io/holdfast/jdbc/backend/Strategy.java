package io.holdfast.jdbc.backend;

import io.holdfast.spi.Resource;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
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
  record Optimistic(LockTable table, Post post) implements Strategy {
    @Override
    public <T> Outcome<T> change(Session session, Collection<Resource> keys, Function<Rows, T> step)
        throws SQLException {
      Rows rows = table.read(session, keys, false);
      T result = step.apply(rows);
      List<Row> changed = rows.changed();
      List<Letter> letters = post.letters(rows);
      if (changed.size() == 1) { // one statement is a transaction by itself
        Row row = changed.get(0);
        if (!table.writeIfSame(session, row, rows.nowMicros(), letters)) {
          throw new Conflict();
        }
      } else if (!changed.isEmpty()) {
        session.begin();
        for (Row row : changed) {
          if (!table.writeIfSame(session, row, rows.nowMicros(), List.of())) {
            throw new Conflict();
          }
        }
        table.send(session, letters);
        session.commit();
      }
      return new Outcome<>(result, rows);
    }
  }

  /** What to tell other processes of a change; nothing where the database carries no messages. */
  interface Post {
    /** The letters, to be delivered when the change is committed. */
    List<Letter> letters(Rows rows);
  }
}
