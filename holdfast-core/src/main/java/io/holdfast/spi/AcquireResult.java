package io.holdfast.spi;

import org.jspecify.annotations.Nullable;

/** What came of one attempt to take a lock. A fault that is certain is an exception instead. */
public sealed interface AcquireResult {
  /**
   * The lock is the owner's from now on.
   *
   * @param tokens the fencing tokens of the grant
   * @param leaseMillis for how long: what was asked for, or less if the store keeps nothing for so
   *     long; core then renews more often
   * @param contended true when others wait for the lock already
   * @param contenderSinceNanos since when the first of them does, as in {@link
   *     BackendSignals#wanted(Owner, long)}; null if nobody does or it is not known
   */
  record Granted(
      TokenBlock tokens, long leaseMillis, boolean contended, @Nullable Long contenderSinceNanos)
      implements AcquireResult {
    /** It is not known since when others wait. */
    public Granted(TokenBlock tokens, long leaseMillis, boolean contended) {
      this(tokens, leaseMillis, contended, null);
    }
  }

  /**
   * Somebody else has it.
   *
   * @param retryAfterMillis when the present lease ends unless it is renewed; -1 when not known
   */
  record Busy(long retryAfterMillis) implements AcquireResult {}

  /**
   * No answer, or none that can be trusted: the lock may or may not be the owner's now.
   *
   * @param cause what went wrong
   */
  record Unknown(Throwable cause) implements AcquireResult {}
}
