package io.holdfast.spi;

/**
 * What an engine's store tells without being asked, and what became of that. Calls return quickly,
 * never throw and may come on any thread, more than once, late, or not at all: they speed things
 * up, and nothing else depends on them but how soon a process stops passing a lock on among its
 * threads when another waits.
 */
public interface BackendSignals {
  /** The waiting owner was given the lock. If it does not wait any more, core gives it back. */
  void granted(Resource resource, Owner owner, PushedGrant grant);

  /** Something happened to the lock; the waiting owner should try again now. */
  void changed(Owner waiter);

  /**
   * Somebody waits for a lock that the owner holds, or for permits when the owner's client holds
   * some. Who waits for its own client's need not be told: that only makes it pass on less.
   */
  void contended(Owner holder);

  /**
   * The same, from a store that knows who came when. A fair lock is passed on to those threads of
   * the holder's process that came before.
   *
   * @param sinceNanos about when the one who waits came, as a reading of {@link
   *     TimeSource#nanoTime()}; not later than now
   */
  default void contended(Owner holder, long sinceNanos) {
    contended(holder);
  }

  /** The store is certain that the owner does not hold the lock any more. */
  void lost(Owner holder);

  /** The connection was interrupted and is back: signals may have been missed. */
  void reconnected();

  /**
   * The store answers, but its messages do not reach this process, from now on until {@link
   * #messagesBack}: signals are late or do not come. Told once for each outage.
   *
   * @param why what was seen, for people
   */
  default void messagesLost(String why) {}

  /** Messages reach this process again, and some were missed. */
  default void messagesBack() {
    reconnected();
  }

  /**
   * True while this process holds or waits for something. While it does not, a backend need not
   * find out whether messages would reach it.
   */
  default boolean isAnybodyInterested() {
    return true;
  }
}
