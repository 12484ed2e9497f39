package io.holdfast.spi;

/**
 * A range of fencing tokens that belongs to one tenure. Each hold inside the tenure takes its own
 * token from it, so that a local handoff needs no round trip and still gets a larger token than the
 * hold before it. Every later grant of the same key has a block that starts above this one's end.
 *
 * @param first the smallest token, at least 1
 * @param last the largest token, inclusive
 */
public record TokenBlock(long first, long last) {
  private static final int BITS = 11;

  /** How many tokens {@link #ofTick} puts into a block. */
  public static final int SIZE = 1 << BITS;

  /** Checks the range. */
  public TokenBlock {
    if (first < 1 || last < first) {
      throw new IllegalArgumentException("not a block of tokens: " + first + ".." + last);
    }
  }

  /**
   * The block of a grant that is numbered by microseconds of store time. A tick per grant cannot
   * run ahead of the clock, which keeps tokens increasing even when the store forgets everything;
   * the {@value #SIZE} tokens below each tick are the grant's own. Fits a {@code long} until the
   * year 2112.
   */
  public static TokenBlock ofTick(long tick) {
    return new TokenBlock(tick << BITS, (tick << BITS) + SIZE - 1);
  }

  /** The tick of a block that {@link #ofTick} made. */
  public static long tickOf(TokenBlock block) {
    return block.first() >> BITS;
  }
}
