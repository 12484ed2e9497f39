package io.holdfast.archfixtures.internal;

import org.awaitility.Awaitility;

/** Needs something that an application does not have. */
public final class UsesALibrary {
  void use() {
    Awaitility.reset();
  }
}
