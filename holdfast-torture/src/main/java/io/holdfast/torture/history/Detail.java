package io.holdfast.torture.history;

/** The names of the details of events, and of the values that checkers look at. */
public final class Detail {
  /** Which primitive: {@code lock, fair, read, write, semaphore, multi, segment}. */
  public static final String PRIMITIVE = "primitive";

  /** By which method: {@code lock, try, timed, interruptibly, handle, async, reenter}. */
  public static final String HOW = "how";

  /** How many permits of a semaphore are asked for; 1 if missing. */
  public static final String PERMITS = "permits";

  /** How many permits a semaphore has. */
  public static final String LIMIT = "limit";

  /** How long it waits at most, in milliseconds; missing for as long as it takes, 0 for a try. */
  public static final String WAIT_MILLIS = "waitMillis";

  /** The id of a hold: unique per grant in the whole history, the same when it is re-entered. */
  public static final String HOLDER = "holder";

  /** The fencing token. */
  public static final String TOKEN = "token";

  /** {@code true} for the inner acquisitions and releases of a hold of the same thread. */
  public static final String REENTRANT = "reentrant";

  /** {@code true} if the hold was asked, after the time of the event was read, and was valid. */
  public static final String VALID = "valid";

  /** The count that a latch is set to. */
  public static final String COUNT = "count";

  /** {@code true} or {@code false}, as the call returned. */
  public static final String RESULT = "result";

  /** What is left of a latch's count. */
  public static final String LEFT = "left";

  /** The client that waits. */
  public static final String WAITER = "waiter";

  /** {@code fenced} or {@code plain}. */
  public static final String REGISTER = "register";

  /** What is written, or read. */
  public static final String VALUE = "value";

  /** What stood there before, read in the same atomic step. */
  public static final String PREVIOUS = "previous";

  /** What the writer had read before, in a step of its own, and based its value on. */
  public static final String BASIS = "basis";

  /** The name of a fault. */
  public static final String FAULT = "fault";

  /** What pairs the begin and the end of a fault. */
  public static final String ID = "id";

  /** When somebody began to look, in nanoseconds, where the event has the time of the answer. */
  public static final String LOOKED = "looked";

  /** The client or server a fault is done to. */
  public static final String TARGET = "target";

  /**
   * What a fault does, as far as checkers must know: {@value #KILL}, {@value #PAUSE}, {@value
   * #FORGET}, {@value #CLOCK}, {@value #PROMPT}, or anything else.
   */
  public static final String EFFECT = "effect";

  /** An effect: the target process is killed. */
  public static final String KILL = "kill";

  /** An effect: the target process stands still, or has no processor. */
  public static final String PAUSE = "pause";

  /** An effect: the store forgets a key, or all: DEL, FLUSHALL, a restart without data. */
  public static final String FORGET = "forget";

  /** An effect: the clock of a store jumps, which ends leases early or late and nothing else. */
  public static final String CLOCK = "clock";

  /** An effect: messages are lost or late, but none arrives after its sender has given up. */
  public static final String PROMPT = "prompt";

  /**
   * Which promises a fault takes away, separated by commas: {@value #EXCLUSION}, {@value
   * #REGISTERS}.
   */
  public static final String BREAKS = "breaks";

  /**
   * For holds that exist during the fault there may be another holder from then on; tokens, the
   * fenced register and everything else must hold.
   */
  public static final String EXCLUSION = "exclusion";

  /** The registers lose what they have. */
  public static final String REGISTERS = "registers";

  /** The longest lease that a client asks for, in milliseconds. */
  public static final String LEASE_MILLIS = "leaseMillis";

  /** What was left behind. */
  public static final String WHAT = "what";

  /** Words for people. */
  public static final String TEXT = "text";

  /** The exception that an operation ended with, for people. */
  public static final String ERROR = "error";

  /** On any event: something that the library must never do, in words. A violation. */
  public static final String BUG = "bug";

  private Detail() {}
}
