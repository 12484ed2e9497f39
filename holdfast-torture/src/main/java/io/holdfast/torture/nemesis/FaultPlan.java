package io.holdfast.torture.nemesis;

import io.holdfast.torture.client.Primitive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which faults come when, as a function of the seed and nothing else. Kinds are dealt like cards:
 * none comes twice before all have come once, so that also a short run sees many of them.
 */
public final class FaultPlan {
  private static final List<String> KEYS =
      Arrays.stream(Primitive.values())
          .flatMap(each -> each.keys().stream())
          .distinct()
          .filter(key -> !key.equals(Primitive.TURNS.keys().get(1))) // used when faults are over
          .toList();

  private FaultPlan() {}

  /**
   * Draws a plan.
   *
   * @param seed of the run
   * @param kinds the kinds to deal
   * @param time until when the last fault is over
   * @param lease of the locks; faults are shorter or longer than it
   * @param clients how many there are
   * @param servers how many there are
   */
  public static List<PlannedFault> draw(
      long seed,
      Collection<FaultKind> kinds,
      Duration time,
      Duration lease,
      int clients,
      int servers) {
    SplittableRandom random = new SplittableRandom(seed);
    List<PlannedFault> plan = new ArrayList<>();
    List<FaultKind> deck = new ArrayList<>();
    long at = 300L + random.nextInt(400);
    while (!kinds.isEmpty()) {
      if (deck.isEmpty()) {
        deck.addAll(kinds.stream().sorted().toList());
      }
      FaultKind kind = deck.remove(random.nextInt(deck.size()));
      long length = duration(kind, lease.toMillis(), random);
      int target = random.nextInt(kind.target() == FaultKind.Target.SERVER ? servers : clients);
      String key = KEYS.get(random.nextInt(KEYS.size()));
      long gap = 200L + random.nextInt(600);
      if (at + length > time.toMillis()) {
        break;
      }
      plan.add(new PlannedFault(plan.size() + 1, kind, at, length, target, key));
      at += length + gap;
    }
    return plan;
  }

  private static long duration(FaultKind kind, long lease, SplittableRandom random) {
    return switch (kind) {
      case CLIENT_PAUSE, SERVER_PAUSE -> lease * 12 / 10 + random.nextInt((int) lease);
      case CLIENT_STALL -> lease / 5 + random.nextInt((int) lease / 2);
      case BLACK_HOLE, HALF_OPEN, PARTITION, REFUSE ->
          lease / 3 + random.nextInt((int) lease * 3 / 2);
      case CLIENT_CLOCK -> JumpingClock.NOTICE.toMillis() + lease;
      case SLOW -> 200L + random.nextInt(500);
      case DELAY -> lease / 2 + random.nextInt((int) lease);
      case CLIENT_KILL -> random.nextInt((int) lease);
      case SERVER_KILL, SERVER_EMPTY, LEADER_LOSS -> random.nextInt((int) lease * 3 / 2);
      case CUT, RESET, WIPE, FORGET_KEY, SERVER_CLOCK -> 0;
    };
  }
}
