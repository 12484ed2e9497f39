package io.holdfast.archfixtures.internal.attic;

import io.holdfast.archfixtures.internal.base.BaseThatKnowsLeases;

/** In a package that the table of rooms does not name. */
public final class RoomThatNobodyPlanned {
  BaseThatKnowsLeases use() {
    return new BaseThatKnowsLeases();
  }
}
