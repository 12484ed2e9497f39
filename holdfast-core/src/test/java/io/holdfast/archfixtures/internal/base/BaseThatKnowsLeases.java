package io.holdfast.archfixtures.internal.base;

import io.holdfast.archfixtures.internal.lease.LeaseThatKnowsTheRegistry;

/** Looks up. */
public final class BaseThatKnowsLeases {
  LeaseThatKnowsTheRegistry use() {
    return new LeaseThatKnowsTheRegistry();
  }
}
