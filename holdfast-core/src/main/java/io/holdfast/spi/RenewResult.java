package io.holdfast.spi;

/** What came of the renewal of one lock. */
public sealed interface RenewResult {
  /**
   * Still the owner's, with a new lease.
   *
   * @param leaseMillis the lease; what was asked for, or less
   * @param contended true when others wait for the lock
   */
  record Renewed(long leaseMillis, boolean contended) implements RenewResult {}

  /**
   * It had vanished, nobody has had it since, and it is the owner's again, with the same tokens.
   *
   * @param leaseMillis the lease; what was asked for, or less
   * @param contended true when others wait for the lock
   */
  record Resumed(long leaseMillis, boolean contended) implements RenewResult {}

  /** Not the owner's any more. */
  record Lost() implements RenewResult {}

  /**
   * No answer: neither loss nor success is proved.
   *
   * @param cause what went wrong
   */
  record Unknown(Throwable cause) implements RenewResult {}
}
