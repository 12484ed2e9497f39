package io.holdfast.torture.client;

import java.util.SplittableRandom;

/**
 * The operations of the one thread of a client that works on {@link Primitive#TURNS}. All of them
 * wait for as long as it takes, so that no place in the queue is left behind by a call that gave
 * up, and hold for long enough that others are seen to queue up meanwhile.
 */
final class TurnsDraw {
  private static final long SHORTEST_HOLD = 40;
  private static final int MORE_HOLD = 80;
  private static final int LONGEST_PAUSE = 80;

  private final SplittableRandom random;
  private volatile String key = Primitive.TURNS.keys().get(0);

  TurnsDraw(long seed, String client) {
    this.random = new SplittableRandom(seed * 31 + client.hashCode() * 1_000_003L - 1);
  }

  /** Goes on with the key for the time after the last fault. */
  void calm() {
    key = Primitive.TURNS.keys().get(1);
  }

  /** Which key is in use now. */
  String key() {
    return key;
  }

  Operation next() {
    return new Operation(
        Primitive.TURNS,
        key,
        random.nextBoolean() ? How.LOCK : How.HANDLE,
        1,
        -1,
        SHORTEST_HOLD + random.nextInt(MORE_HOLD),
        false,
        0,
        random.nextInt(4) == 0,
        random.nextInt(LONGEST_PAUSE));
  }
}
