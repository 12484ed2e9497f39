package io.holdfast.archfixtures.internal.engine;

import io.holdfast.archfixtures.internal.watchdog.WatchdogThatKnowsAMutex;

/** Knows who watches it. */
public final class EngineThatKnowsTheWatchdog {
  WatchdogThatKnowsAMutex use() {
    return new WatchdogThatKnowsAMutex();
  }
}
