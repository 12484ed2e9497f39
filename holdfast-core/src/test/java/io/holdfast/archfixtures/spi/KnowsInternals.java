package io.holdfast.archfixtures.spi;

import io.holdfast.archfixtures.internal.Mechanics;

/** An SPI that drags core behind it. */
public final class KnowsInternals {
  Mechanics use() {
    return new Mechanics();
  }
}
