package io.holdfast.torture.client;

import java.util.Locale;

/** By which method a lock is asked for. */
enum How {
  /** {@code lock()}. */
  LOCK(true),
  /** {@code tryLock()}. */
  TRY(true),
  /** {@code tryLock(wait)}. */
  TIMED(true),
  /** {@code lockInterruptibly()}, and an interrupt comes. */
  INTERRUPTIBLY(true),
  /** {@code acquire()} and {@code tryAcquire(wait)}, which give a handle. */
  HANDLE(false),
  /** {@code acquireAsync(wait)}. */
  ASYNC(false);

  private final boolean ownedByThread;

  How(boolean ownedByThread) {
    this.ownedByThread = ownedByThread;
  }

  /** True if the hold belongs to the thread, false if to the handle. */
  boolean ownedByThread() {
    return ownedByThread;
  }

  /** As the history has it. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
