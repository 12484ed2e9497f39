package io.holdfast.archfixtures.memory;

import io.holdfast.archfixtures.internal.Mechanics;

/** An engine that goes behind the SPI. */
public final class EngineThatUsesInternals {
  Mechanics use() {
    return new Mechanics();
  }
}
