package io.holdfast.spi;

/** What came of one attempt to take a lock. A fault that is certain is an exception instead. */
public sealed interface AcquireResult {
  /**
   * The lock is the owner's from now on.
   *
   * @param tokens the fencing tokens of the grant
   * @param leaseMillis for how long: what was asked for, or less if the store keeps nothing for so
   *     long; core then renews more often
   * @param wanted true when others wait for the lock already
   */
  record Granted(TokenBlock tokens, long leaseMillis, boolean wanted) implements AcquireResult {}

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
