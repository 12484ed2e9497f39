package io.holdfast.archfixtures.internal.watchdog;

import io.holdfast.archfixtures.internal.local.mutex.MutexThatKnowsItsSibling;

/** Looks into the other wing. */
public final class WatchdogThatKnowsAMutex {
  MutexThatKnowsItsSibling use() {
    return new MutexThatKnowsItsSibling();
  }
}
