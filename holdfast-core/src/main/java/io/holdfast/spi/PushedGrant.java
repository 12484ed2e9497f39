package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * A grant that the store made on its own, when another owner released the lock.
 *
 * @param tokens the fencing tokens of the grant
 * @param asOfNanos a reading of {@link TimeSource#nanoTime()} that is certainly not later than the
 *     grant; the holder's own deadline is counted from it
 * @param leaseMillis the lease the store gave; shorter than the one asked for when the store first
 *     wants to hear from the new holder
 * @param contended true when more waiters stand in the queue
 * @param contenderSinceNanos since when the first of them does, as in {@link
 *     BackendSignals#wanted(Owner, long)}; null if nobody does or it is not known
 */
public record PushedGrant(
    TokenBlock tokens,
    long asOfNanos,
    long leaseMillis,
    boolean contended,
    @Nullable Long contenderSinceNanos) {
  /** It is not known since when others wait. */
  public PushedGrant(TokenBlock tokens, long asOfNanos, long leaseMillis, boolean contended) {
    this(tokens, asOfNanos, leaseMillis, contended, null);
  }
}
