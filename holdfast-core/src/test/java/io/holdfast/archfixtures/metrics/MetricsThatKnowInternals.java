package io.holdfast.archfixtures.metrics;

import io.holdfast.archfixtures.internal.Mechanics;

/** Counts what is not public. */
public final class MetricsThatKnowInternals {
  Mechanics use() {
    return new Mechanics();
  }
}
