package io.holdfast.internal.engine;

import java.util.concurrent.atomic.AtomicLong;

/** Since when the store has answered nobody of this process who asked for a lock. */
final class OutageTimer {
  private static final long SPEAKS = Long.MIN_VALUE;

  private final AtomicLong since = new AtomicLong(SPEAKS);

  /** The store did not answer somebody. */
  void begins(long now) {
    since.compareAndSet(SPEAKS, now == SPEAKS ? now + 1 : now);
  }

  /** It has answered. */
  void ends() {
    if (since.get() != SPEAKS) {
      since.set(SPEAKS);
    }
  }

  /** For how long it has lasted; zero if the store answers. */
  long lasts(long now) {
    long begun = since.get();
    return begun == SPEAKS ? 0 : now - begun;
  }
}
