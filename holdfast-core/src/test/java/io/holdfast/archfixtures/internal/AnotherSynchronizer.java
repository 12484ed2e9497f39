package io.holdfast.archfixtures.internal;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/** A second place where threads queue. */
public final class AnotherSynchronizer extends AbstractQueuedSynchronizer {
  private static final long serialVersionUID = 1L;
}
