package io.holdfast.archfixtures.outside;

import io.holdfast.archfixtures.internal.Mechanics;

/** Somebody who depends on what may change. */
public final class UsesInternals {
  Mechanics use() {
    return new Mechanics();
  }
}
