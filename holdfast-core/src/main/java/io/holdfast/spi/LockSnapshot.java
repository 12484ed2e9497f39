package io.holdfast.spi;

import java.time.Instant;
import java.util.List;

/**
 * What the store knows about one resource.
 *
 * @param holders who holds it, or parts of it
 * @param waiters who waits, the next one first
 * @param limit how much of it there is; 0 when the store does not know it
 * @param count the count of a latch; 0 if it is open, and for everything else
 */
public record LockSnapshot(List<Holder> holders, List<Waiter> waiters, int limit, long count) {
  /** Something nobody holds or wants. */
  public static final LockSnapshot FREE = new LockSnapshot(List.of(), List.of(), 0);

  /** Copies the lists. */
  public LockSnapshot {
    holders = List.copyOf(holders);
    waiters = List.copyOf(waiters);
  }

  /** Of something that is not a latch. */
  public LockSnapshot(List<Holder> holders, List<Waiter> waiters, int limit) {
    this(holders, waiters, limit, 0);
  }

  /** Of a latch, which nobody holds. */
  public static LockSnapshot ofLatch(long count, List<Waiter> waiters) {
    return new LockSnapshot(List.of(), waiters, 0, count);
  }

  /**
   * A holder.
   *
   * @param client the holding lock manager
   * @param owner its owner id in the store
   * @param amount how much it holds
   * @param thread the thread that took it
   * @param since when, by the clock of the store
   * @param remainingMillis lease that is left
   * @param token the first token of the grant
   * @param holds hold count in the store
   */
  public record Holder(
      ClientIdentity client,
      Owner owner,
      int amount,
      String thread,
      Instant since,
      long remainingMillis,
      long token,
      int holds) {}

  /**
   * A waiter.
   *
   * @param client the waiting lock manager
   * @param owner its owner id in the store
   * @param amount how much it wants
   * @param thread the thread that waits
   * @param since when it came, by the clock of the store
   * @param note the note of its last attempt
   */
  public record Waiter(
      ClientIdentity client, Owner owner, int amount, String thread, Instant since, String note) {}
}
