package io.holdfast.spi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the store knows about one lock.
 *
 * @param holder who holds it, or null
 * @param waiters who waits, the next one first
 */
public record LockSnapshot(@Nullable Holder holder, List<Waiter> waiters) {
  /** A lock nobody holds or wants. */
  public static final LockSnapshot FREE = new LockSnapshot(null, List.of());

  /** Copies the list. */
  public LockSnapshot {
    waiters = List.copyOf(waiters);
  }

  /**
   * A holder.
   *
   * @param client the holding lock manager
   * @param owner its owner id in the store
   * @param thread the thread that took the lock
   * @param since when, by the clock of the store
   * @param remainingMillis lease that is left
   * @param token the first token of the grant
   * @param holds hold count in the store
   */
  public record Holder(
      ClientIdentity client,
      Owner owner,
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
   * @param thread the thread that waits
   * @param since when it came, by the clock of the store
   */
  public record Waiter(ClientIdentity client, Owner owner, String thread, Instant since) {}
}
