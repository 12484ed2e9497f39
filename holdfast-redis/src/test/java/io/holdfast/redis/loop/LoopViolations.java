package io.holdfast.redis.loop;

import io.holdfast.spi.Owner;

/** What the architecture's rules must find if it is done in this package. */
public final class LoopViolations {
  private LoopViolations() {}

  /** The loop is for any connection. */
  public record KnowsLocks(Owner owner) {}
}
