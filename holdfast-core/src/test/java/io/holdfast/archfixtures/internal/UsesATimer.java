package io.holdfast.archfixtures.internal;

import java.util.Timer;

/** A thread of its own for what happens later. */
public final class UsesATimer {
  Timer use() {
    return new Timer();
  }
}
