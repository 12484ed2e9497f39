package io.holdfast.torture.client;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The operations of one thread, one after the other, as a function of seed, client and thread and
 * nothing else: a replay asks for the same in the same order. What comes of it depends on the
 * weather.
 */
public final class OperationDraw {
  private static final List<How> HOWS = List.of(How.values());
  private static final int LATCH_ACTIONS = 3;
  private static final int ONE_IN = 100;

  private final List<Primitive> bag;
  private final SplittableRandom random;
  private final long leaseMillis;
  private final int longHolds;

  /** For one thread, which asks for some or all kinds of things. */
  public OperationDraw(
      long seed,
      String client,
      int thread,
      long leaseMillis,
      int longHolds,
      Set<Primitive> primitives) {
    this.bag =
        primitives.stream()
            .sorted()
            .flatMap(each -> Collections.nCopies(each.weight(), each).stream())
            .toList();
    this.random = new SplittableRandom(seed * 31 + client.hashCode() * 1_000_003L + thread * 7919L);
    this.leaseMillis = leaseMillis;
    this.longHolds = longHolds;
  }

  /** The next one. */
  public Operation next() {
    Primitive primitive = bag.get(random.nextInt(bag.size()));
    String key = primitive.keys().get(random.nextInt(primitive.keys().size()));
    How how = HOWS.get(random.nextInt(HOWS.size()));
    if (!how.ownedByThread() || primitive == Primitive.SEMAPHORE || primitive == Primitive.MULTI) {
      how = random.nextInt(3) == 0 ? How.ASYNC : How.HANDLE;
    }
    int permits =
        switch (primitive) {
          case SEMAPHORE -> 1 + random.nextInt(Primitive.PERMITS);
          case LATCH -> random.nextInt(LATCH_ACTIONS);
          default -> 1;
        };
    return new Operation(
        primitive,
        key,
        how,
        permits,
        wait(how),
        hold(),
        random.nextInt(8) == 0,
        how.ownedByThread() && random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0,
        random.nextInt(2) == 0,
        random.nextInt(20));
  }

  private long wait(How how) {
    return switch (how) {
      case LOCK -> -1;
      case TRY -> 0;
      case TIMED, ASYNC -> random.nextInt((int) leaseMillis);
      case INTERRUPTIBLY -> 20L + random.nextInt((int) leaseMillis);
      case HANDLE -> random.nextInt(3) == 0 ? -1 : random.nextInt((int) leaseMillis);
    };
  }

  /** Mostly short; sometimes a good part of a lease; now and then longer than it. */
  private long hold() {
    int share = random.nextInt(ONE_IN);
    if (share < longHolds) {
      return leaseMillis + random.nextInt((int) leaseMillis * 2);
    }
    return share > 85 ? random.nextInt((int) leaseMillis / 3) : random.nextInt(15);
  }
}
