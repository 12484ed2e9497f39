package io.holdfast;

import java.time.Duration;
import java.time.Instant;

/**
 * A lock that was lost while it was held.
 *
 * <pre>{@code
 * lock.onLost(loss -> log.error("{}", loss));
 * // lock 'stock:42' (token 17) was lost after 31004 ms: it could not be renewed before ...
 * }</pre>
 *
 * @param kind lock, read-write lock or semaphore
 * @param key the lock
 * @param token the fencing token of the lost hold
 * @param reason why
 * @param at when this process noticed
 * @param heldFor how long it had been held by then
 */
public record LockLoss(
    String kind, String key, long token, LossReason reason, Instant at, Duration heldFor) {
  @Override
  public String toString() {
    if (reason == LossReason.MANAGER_CLOSED) {
      return "%s '%s' (token %d) was given back after %d ms: the lock manager was closed while it was held"
          .formatted(kind, key, token, heldFor.toMillis());
    }
    String why =
        switch (reason) {
          case LEASE_EXPIRED -> "its lease ran out (a lock with a lease of its own is not renewed)";
          case NOT_RENEWED -> "it could not be renewed before its lease ran out";
          case GONE_FROM_STORE ->
              "the store does not know it as ours any more (expired, deleted or forced open)";
          case PART_LOST -> "another part of its multi-lock was lost";
          case MANAGER_CLOSED -> "";
        };
    return "%s '%s' (token %d) was lost after %d ms: %s; another holder may have entered since"
        .formatted(kind, key, token, heldFor.toMillis(), why);
  }
}
