package io.holdfast.spi;

/**
 * How much of a resource somebody asks for. All kinds of locks are this one rule: a claim is
 * granted when it fits beside those of the present holders, and nobody who came earlier still
 * waits.
 *
 * @param amount how much: 1 for a lock or a reader, all of it for a writer, n permits
 * @param limit how much there is, as the one who asks declares it. Of a semaphore the store may
 *     know another number, which then counts; so the amount may be more than this
 * @param overtakes true if it may be granted before others who wait, as readers may where they are
 *     preferred to writers
 */
public record Claim(int amount, int limit, boolean overtakes) {
  /** The most readers a read-write lock can have at a time. */
  public static final int MOST_READERS = 1_000_000;

  /** The only holder. */
  public static final Claim EXCLUSIVE = new Claim(1, 1, false);

  /** The only holder of a read-write lock. */
  public static final Claim WRITE = new Claim(MOST_READERS, MOST_READERS, false);

  /** One reader among others, behind writers that wait. */
  public static final Claim READ = new Claim(1, MOST_READERS, false);

  /** One reader among others, before writers that wait. */
  public static final Claim READ_FIRST = new Claim(1, MOST_READERS, true);

  /** What passes an open latch. */
  public static final Claim PASS = new Claim(0, 0, false);

  /** Checks the amounts. */
  public Claim {
    if (amount < 0 || limit < 0) {
      throw new IllegalArgumentException("cannot claim " + amount + " of " + limit);
    }
  }

  /** Some of a semaphore's permits. */
  public static Claim permits(int number, int total) {
    return new Claim(number, total, false);
  }
}
