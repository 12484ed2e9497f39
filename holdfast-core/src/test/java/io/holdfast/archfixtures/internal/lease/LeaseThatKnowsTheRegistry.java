package io.holdfast.archfixtures.internal.lease;

import io.holdfast.archfixtures.internal.Mechanics;

/** A room that knows who assembles the rooms. */
public final class LeaseThatKnowsTheRegistry {
  Mechanics use() {
    return new Mechanics();
  }
}
