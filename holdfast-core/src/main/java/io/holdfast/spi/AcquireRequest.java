package io.holdfast.spi;

/**
 * One attempt to claim a resource. Repeating it with the same owner is safe: a store in which the
 * owner already holds the lock answers with a grant that starts the lease anew.
 *
 * @param resource what is claimed
 * @param owner who asks; the same for all attempts of one acquisition
 * @param claim how much of it
 * @param leaseMillis for how long the store shall keep the lock when nothing is heard any more
 * @param thread the name of the thread that asks, for people who look at the lock
 * @param enqueue true to be remembered as a waiter when the lock is busy: the store then signals
 *     {@link BackendSignals#granted} or {@link BackendSignals#changed} when it is this one's turn
 * @param waiterTtlMillis how long the store may believe that this waiter is alive without hearing
 *     from it again
 * @param note what the store shall keep with a waiter for others to read in {@link
 *     LockSnapshot.Waiter#note()}, as it came with the last attempt; mostly empty, at most {@value
 *     #LONGEST_NOTE} characters of any kind
 * @param waitedMicros how long the one it is for has waited in its process already. A store that
 *     serves in order of arrival gives it the place of one that came so much earlier, when it is
 *     new to the store; 0 for the place of one that comes now
 * @param queuedMicros how long ago this owner was first told to wait, 0 if it was not. A store that
 *     does not remember it although it has waited has passed it over: it gives it the place that it
 *     had, and a turn even if no message reaches it
 */
public record AcquireRequest(
    Resource resource,
    Owner owner,
    Claim claim,
    long leaseMillis,
    String thread,
    boolean enqueue,
    long waiterTtlMillis,
    String note,
    long waitedMicros,
    long queuedMicros) {

  /** The longest note, in characters. */
  public static final int LONGEST_NOTE = 4000;

  /** For one that the store has not told to wait yet. */
  public AcquireRequest(
      Resource resource,
      Owner owner,
      Claim claim,
      long leaseMillis,
      String thread,
      boolean enqueue,
      long waiterTtlMillis,
      String note,
      long waitedMicros) {
    this(
        resource,
        owner,
        claim,
        leaseMillis,
        thread,
        enqueue,
        waiterTtlMillis,
        note,
        waitedMicros,
        0);
  }

  /** For one that comes now. */
  public AcquireRequest(
      Resource resource,
      Owner owner,
      Claim claim,
      long leaseMillis,
      String thread,
      boolean enqueue,
      long waiterTtlMillis,
      String note) {
    this(resource, owner, claim, leaseMillis, thread, enqueue, waiterTtlMillis, note, 0);
  }

  /** The name of the resource. */
  public String key() {
    return resource.key();
  }
}
