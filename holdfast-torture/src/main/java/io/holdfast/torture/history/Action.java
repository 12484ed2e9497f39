package io.holdfast.torture.history;

/**
 * What an event is about. The names of the details are in {@link Detail}.
 *
 * <p>Operations, with the phases INVOKE and then OK, FAIL or UNKNOWN: the first six and those of
 * the registers. All others are seen, with the phase NOTE.
 */
public enum Action {
  /**
   * Asks for a lock. INVOKE has {@code primitive}, {@code how}, {@code permits} and {@code limit}
   * of a semaphore, {@code reentrant=true} where the same thread holds it already; {@code
   * waitMillis} unless it waits for as long as it takes, 0 for a try. OK has {@code holder}, and
   * {@code token} where there is one, and {@code valid=true} if {@code isValid()} was asked after
   * the time of the event was read and said so.
   *
   * <p>A multi-lock writes one event per key, all with the same number of operation and the same
   * holder, and a token only where it is known to be the one of that key. A segmented lock writes
   * the key of the segment; where any segment will do it is known only afterwards, and both events
   * are written then, each with its own time. An acquisition that has the {@code holder} of an
   * earlier one entered it again; one that obtained the lock anew, after a loss that the thread had
   * not noticed, must have a holder of its own.
   */
  ACQUIRE,
  /**
   * Gives a hold back. INVOKE has {@code holder}, {@code reentrant=true} where it is not the
   * outermost, and {@code valid=true} if {@code isValid()} was asked after the time of the event
   * was read and said so. FAIL is a lock that was lost ({@code LockLostException}).
   */
  RELEASE,
  /** The lost signal of a hold was heard: {@code holder}. */
  LOST,
  /** A holder saw that its hold is valid: {@code holder}. The more of these, the more is proved. */
  VALID,
  /** A holder saw that its hold is valid no longer, whether or not it was told: {@code holder}. */
  VALID_END,
  /** Sets the count of a latch: {@code count}; OK has {@code result}, false if it has one. */
  SET_COUNT,
  /** Counts a latch down; OK may have {@code left}; FAIL is a latch that was open already. */
  COUNT_DOWN,
  /** Waits for a latch; OK when it was open, FAIL when the time was over. */
  AWAIT,
  /**
   * Somebody saw in the store that the client {@code waiter} stands in the queue of the key; the
   * time is read after the answer came, and {@code looked} before the question. Without these the
   * order of fair locks is not checked.
   */
  QUEUED,
  /**
   * Writes to the register that looks at tokens: INVOKE has {@code holder}, {@code token} and
   * {@code value}, unique per write; OK may have {@code previous}, the value that was replaced in
   * the same step, empty for none; FAIL is a token that is too small.
   */
  FENCED_WRITE,
  /**
   * Writes to the register that looks at nothing; details as for {@link #FENCED_WRITE}, and {@code
   * basis}: two writes with the same basis are a lost update.
   */
  PLAIN_WRITE,
  /**
   * Reads a register: {@code register} is {@code fenced} or {@code plain}; OK has {@code token} and
   * {@code value}, both missing if nothing was ever written.
   */
  READ_REGISTER,
  /**
   * Something is going to be broken: {@code fault} is its name for people, {@code id} the same in
   * the event of its end, {@code target} the client or server, {@code effect} and {@code breaks} as
   * in {@link Detail}. The key is empty if it concerns all keys. A fault without an end goes on
   * until the end of the history.
   */
  FAULT_BEGIN,
  /** It is over: {@code id}. For a killed process, when it is known to be dead. */
  FAULT_END,
  /** A client process is ready: {@code leaseMillis}, the longest lease it will ask for. */
  CLIENT_START,
  /** A client process ends as it should. One that was killed does not write this. */
  CLIENT_END,
  /**
   * Something is left at the end: {@code what} (thread, connection, key, node, row), {@code text}.
   */
  LEAK,
  /** Anything for people who read the history: {@code text}. */
  INFO
}
