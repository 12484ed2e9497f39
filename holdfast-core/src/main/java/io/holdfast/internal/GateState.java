package io.holdfast.internal;

/**
 * The state word of {@link LocalGate}, 32 bits.
 *
 * <pre>
 *   31       24 23       16 15                     0
 *  +-----------+-----------+------------------------+
 *  |  status   |   holds   |       generation       |
 *  +-----------+-----------+------------------------+
 *   0 free       0 to 255    counts first entries, so that an owner that was evicted
 *   1 locked                 cannot mistake a later owner's word for its own
 * </pre>
 */
final class GateState {
  static final int MAX_HOLDS = 0xFF;
  static final int ONE_HOLD = 1 << 16;

  private static final int LOCKED = 1 << 24;
  private static final int GENERATION = 0xFFFF;

  private GateState() {}

  static boolean isFree(int state) {
    return (state & LOCKED) == 0;
  }

  static int holds(int state) {
    return (state >>> 16) & MAX_HOLDS;
  }

  static int generation(int state) {
    return state & GENERATION;
  }

  /** Locked once, by the next generation. */
  static int enteredFrom(int free) {
    return LOCKED | ONE_HOLD | ((free + 1) & GENERATION);
  }

  /** Free, keeping the generation so that the next one differs. */
  static int leftFrom(int locked) {
    return locked & GENERATION;
  }
}
