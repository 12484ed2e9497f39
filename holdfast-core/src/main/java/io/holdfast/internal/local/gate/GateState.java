package io.holdfast.internal.local.gate;

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
 *   2 leaving
 * </pre>
 *
 * <p>Leaving is for the moment between the decision who leaves and the free gate: the one who
 * leaves removes the owner's name meanwhile, which must be gone before the next one enters and must
 * not be the next one's.
 */
public final class GateState {
  public static final int MAX_HOLDS = 0xFF;
  static final int ONE_HOLD = 1 << 16;

  private static final int LOCKED = 1 << 24;
  private static final int LEAVING = 2 << 24;
  private static final int GENERATION = 0xFFFF;

  private GateState() {}

  static boolean isFree(int state) {
    return (state & (LOCKED | LEAVING)) == 0;
  }

  static boolean isLocked(int state) {
    return (state & LOCKED) != 0;
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

  /** On the way out: nobody is inside, and nobody may enter yet. */
  static int leavingFrom(int locked) {
    return LEAVING | (locked & GENERATION);
  }

  /** Free, keeping the generation so that the next one differs. */
  static int leftFrom(int leaving) {
    return leaving & GENERATION;
  }
}
