package io.holdfast;

/**
 * Why a held lock is no longer held.
 *
 * <pre>{@code
 * lease.onLost(
 *     loss -> {
 *       if (loss.reason() != LossReason.MANAGER_CLOSED) {
 *         job.cancel();
 *       }
 *     });
 * }</pre>
 */
public enum LossReason {
  /** The lease of a lock that is not renewed ({@code lock(30, SECONDS)}) ran out. */
  LEASE_EXPIRED,
  /** The lock could not be renewed in time: no answer from the store until the deadline. */
  NOT_RENEWED,
  /** The store answered that the lock is not ours: expired there, deleted, or forced open. */
  GONE_FROM_STORE,
  /** Another part of a multi-lock was lost, so this one was given back. */
  PART_LOST,
  /** The {@link LockManager} was closed while the lock was held. */
  MANAGER_CLOSED
}
