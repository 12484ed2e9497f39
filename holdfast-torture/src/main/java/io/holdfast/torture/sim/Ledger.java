package io.holdfast.torture.sim;

import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Who believes to hold how much of one resource, and the rules for that. A new belief is the only
 * moment at which a rule can begin to be broken, so they are checked then.
 */
final class Ledger {
  private static final long GRACE = 1_000_000;
  private static final long LONGEST_IGNORANCE = 4_000_000_000L;

  /** One lease from the moment its owner has it. */
  static final class Belief {
    private final Client client;
    private final Lease lease;
    private final int amount;
    private boolean ended;
    private boolean told;

    Belief(Client client, Lease lease, int amount) {
      this.client = client;
      this.lease = lease;
      this.amount = amount;
    }

    Lease lease() {
      return lease;
    }

    /** Its owner gives it back. */
    void end() {
      ended = true;
    }

    private boolean isHeld() {
      return !ended && lease.isValid();
    }

    @Override
    public String toString() {
      return "%s with token %d for %d".formatted(client, lease.token(), amount);
    }
  }

  private final World world;
  private final String key;
  private final int limit;
  private final boolean storeKeepsItsWord;
  private final List<Belief> beliefs = new ArrayList<>();
  private final Set<Long> tokens = new HashSet<>();
  private final List<String> violations;
  private long largestOfAll;
  private long largestOfWriters;
  private int obtained;

  Ledger(World world, String key, int limit, boolean storeKeepsItsWord, List<String> violations) {
    this.world = world;
    this.key = key;
    this.limit = limit;
    this.storeKeepsItsWord = storeKeepsItsWord;
    this.violations = violations;
  }

  int obtained() {
    return obtained;
  }

  /** Somebody has a lease of several resources from now on, whose token is that of one of them. */
  Belief obtainedTogether(Client client, Lease lease, int amount) {
    return obtained(client, lease, amount, false);
  }

  /** Somebody has a lease from now on. */
  Belief obtained(Client client, Lease lease, int amount) {
    return obtained(client, lease, amount, true);
  }

  private Belief obtained(Client client, Lease lease, int amount, boolean ownToken) {
    Belief belief = new Belief(client, lease, amount);
    world.tell(key, ":", belief, "has it");
    lease.onLost(
        loss -> {
          belief.told = true;
          world.tell(key, ":", belief, "is told of its loss:", loss.reason());
        });
    if (ownToken && !tokens.add(lease.token())) {
      violate("the token of %s was given before".formatted(belief));
    }
    if (storeKeepsItsWord && lease.isValid()) {
      checkRoom(belief);
      checkTold();
      if (ownToken) {
        checkToken(belief);
      }
    } else if (ownToken && lease.isValid()) {
      checkThatOthersLearn(belief);
    }
    beliefs.removeIf(each -> each.ended || each.told);
    beliefs.add(belief);
    obtained++;
    return belief;
  }

  /**
   * Where locks are deleted by hand there may be two holders, but not for long: the one whose lock
   * is gone hears of it from its next renewal, or at the end of its lease at the latest.
   */
  private void checkThatOthersLearn(Belief belief) {
    for (Belief other : beliefs) {
      if (limit == 1 && other.isHeld() && other.lease.token() < belief.lease.token()) {
        world.later(
            LONGEST_IGNORANCE,
            belief.client.place(),
            () -> {
              if (other.isHeld()) {
                violate("%s still believes to hold it, %s came later".formatted(other, belief));
              }
            });
      }
    }
  }

  private void checkRoom(Belief belief) {
    int held = belief.amount;
    StringBuilder others = new StringBuilder();
    for (Belief other : beliefs) {
      if (other.isHeld()) {
        held += other.amount;
        others.append(", ").append(other);
      }
    }
    if (held > limit) {
      violate("%d of %d are held: %s%s".formatted(held, limit, belief, others));
    }
  }

  private void checkToken(Belief belief) {
    boolean alone = belief.amount == limit;
    long floor = alone ? largestOfAll : largestOfWriters;
    long token = belief.lease.token();
    if (token <= floor) {
      violate("%s has a token that is not above %d".formatted(belief, floor));
    }
    largestOfAll = Math.max(largestOfAll, token);
    if (alone) {
      largestOfWriters = Math.max(largestOfWriters, token);
    }
  }

  private void checkTold() {
    for (Belief other : beliefs) {
      boolean stalled = other.client.place().isPausedAt(world.now() - GRACE);
      if (limit == 1 && !other.ended && !other.told && !other.lease.isValid() && !stalled) {
        violate("%s was not told of its loss before the next had it".formatted(other));
      }
    }
  }

  private void violate(String what) {
    String text = "at %.6f s, '%s': %s".formatted(world.now() / 1e9, key, what);
    world.tell("VIOLATION", text);
    violations.add(text);
  }
}
