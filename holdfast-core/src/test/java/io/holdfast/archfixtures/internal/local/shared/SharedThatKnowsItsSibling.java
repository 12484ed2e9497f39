package io.holdfast.archfixtures.internal.local.shared;

import io.holdfast.archfixtures.internal.local.mutex.MutexThatKnowsItsSibling;

/** Knows a room beside its own, and closes a cycle. */
public final class SharedThatKnowsItsSibling {
  MutexThatKnowsItsSibling use() {
    return new MutexThatKnowsItsSibling();
  }
}
