package io.holdfast.spi;

/** What came of one attempt to release a lock. */
public sealed interface ReleaseResult {
  /** The owner held it and does not any more. */
  record Released() implements ReleaseResult {}

  /** The owner did not hold it; if it was waiting it is not waiting any more. */
  record NotHeld() implements ReleaseResult {}

  /**
   * No answer: the owner may or may not still be there.
   *
   * @param cause what went wrong
   */
  record Unknown(Throwable cause) implements ReleaseResult {}
}
