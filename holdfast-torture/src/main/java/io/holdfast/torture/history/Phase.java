package io.holdfast.torture.history;

/** Where in an operation an event stands. */
public enum Phase {
  /** The operation begins. */
  INVOKE,
  /** It has done what was asked for. */
  OK,
  /**
   * It has certainly not done it: the lock was busy for as long as one wanted to wait, the thread
   * was interrupted, the write was refused, the lock to be released was lost already.
   */
  FAIL,
  /** It may or may not have done it, or may do it still: a store that did not answer. */
  UNKNOWN,
  /** Not part of an operation: something that was seen. */
  NOTE
}
