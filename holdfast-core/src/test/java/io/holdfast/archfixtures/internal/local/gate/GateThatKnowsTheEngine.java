package io.holdfast.archfixtures.internal.local.gate;

import io.holdfast.archfixtures.internal.engine.EngineThatKnowsTheWatchdog;

/** A gate with input and output. */
public final class GateThatKnowsTheEngine {
  EngineThatKnowsTheWatchdog use() {
    return new EngineThatKnowsTheWatchdog();
  }
}
