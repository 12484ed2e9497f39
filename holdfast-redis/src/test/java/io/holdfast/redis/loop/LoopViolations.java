package io.holdfast.redis.loop;

import io.holdfast.spi.Owner;

/** Breaks the rules of the architecture for this package. */
public final class LoopViolations {
  private LoopViolations() {}

  /** The loop knows no locks. */
  public record KnowsLocks(Owner owner) {}
}
