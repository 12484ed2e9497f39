package io.holdfast.internal;

import io.holdfast.Finding;
import io.holdfast.LockLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread or handle that has the lock, from its first entry to its last exit. It ends once: by
 * its owner or by the loss of the lock, whichever comes first, and the one who ends it opens the
 * gate.
 */
final class Hold {
  final Tenure tenure;
  final AcquireSpec spec;
  final long token;
  final int generation;
  final long since;
  final Thread thread;

  private volatile boolean active = true;

  /** Guarded by this. */
  private @Nullable List<Consumer<? super LockLoss>> lossCallbacks;

  /** Guarded by this. */
  private @Nullable List<Consumer<? super Finding>> returnCallbacks;

  /** Guarded by this. */
  private @Nullable LockLoss loss;

  /** Where it was taken, if that is remembered. */
  private final @Nullable Throwable takenAt;

  // For the watchdog alone.
  private int place;
  private long thereSince;
  private boolean heldLongTold;

  Hold(Tenure tenure, AcquireSpec spec, long token, int generation, long since, Thread thread) {
    this.tenure = tenure;
    this.spec = spec;
    this.token = token;
    this.generation = generation;
    this.since = since;
    this.thread = thread;
    boolean captured = spec.config().captureStack() && Thread.currentThread() == thread;
    this.takenAt = captured ? new Throwable("taken here") : null;
  }

  @Nullable Throwable takenAt() {
    return takenAt;
  }

  /** Ends it for its owner; false if it is lost or was ended before. */
  synchronized boolean finish() {
    boolean ended = active;
    active = false;
    return ended;
  }

  /** Ends it as lost and returns the callbacks to call; null if its owner ended it before. */
  synchronized @Nullable List<Consumer<? super LockLoss>> lose(LockLoss lost) {
    if (!active) {
      return null;
    }
    active = false;
    loss = lost;
    return lossCallbacks != null ? lossCallbacks : List.of();
  }

  boolean isActive() {
    return active;
  }

  boolean isValid(long now) {
    return active && tenure.isValid(now);
  }

  /** Keeps the callback for a loss to come; if it has come already returns that instead. */
  synchronized @Nullable LockLoss addLossCallback(Consumer<? super LockLoss> callback) {
    if (loss == null && active) {
      if (lossCallbacks == null) {
        lossCallbacks = new ArrayList<>(1);
      }
      lossCallbacks.add(callback);
    }
    return loss;
  }

  /** How it was lost, or null if it was not. */
  synchronized @Nullable LockLoss loss() {
    return loss;
  }

  /** Keeps the callback for a return of the lock. */
  synchronized void addReturnCallback(Consumer<? super Finding> callback) {
    if (returnCallbacks == null) {
      returnCallbacks = new ArrayList<>(1);
    }
    returnCallbacks.add(callback);
  }

  synchronized List<Consumer<? super Finding>> returnCallbacks() {
    return returnCallbacks == null ? List.of() : List.copyOf(returnCallbacks);
  }

  /** Its thread runs. */
  void moved(long now) {
    place = 0;
    thereSince = now;
  }

  /** For how long its thread has been seen at the same place. */
  long stillFor(int seenAt, long now) {
    if (seenAt != place || thereSince == 0) {
      place = seenAt;
      thereSince = now;
    }
    return now - thereSince;
  }

  /** True once. */
  boolean takeHeldLong() {
    boolean first = !heldLongTold;
    heldLongTold = true;
    return first;
  }
}
