package io.holdfast.archfixtures.internal.local.mutex;

import io.holdfast.archfixtures.internal.local.shared.SharedThatKnowsItsSibling;

/** Knows a room beside its own. */
public final class MutexThatKnowsItsSibling {
  SharedThatKnowsItsSibling use() {
    return new SharedThatKnowsItsSibling();
  }
}
