package io.holdfast.internal.lease;

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
public final class Hold {
  public final Tenure tenure;
  public final AcquireSpec spec;
  public final long token;
  public final int generation;
  public final long since;
  public final Thread thread;

  private volatile boolean active = true;

  /** Guarded by this. */
  private @Nullable List<Consumer<? super LockLoss>> lossCallbacks;

  /** Guarded by this. */
  private @Nullable List<Consumer<? super Finding>> returnCallbacks;

  /** Guarded by this. */
  private @Nullable LockLoss loss;

  /** Where it was taken, if that is remembered. */
  private final @Nullable Throwable takenAt;

  /** The thread waited for it and has the handle; for diagnosis, by other threads as well. */
  private boolean acquiredOnThread;

  /** Only for the thread that waited for it. */
  private boolean selfWaitTold;

  // For the watchdog alone.
  private int place;
  private long thereSince;
  private boolean heldLongTold;

  public Hold(
      Tenure tenure, AcquireSpec spec, long token, int generation, long since, Thread thread) {
    this.tenure = tenure;
    this.spec = spec;
    this.token = token;
    this.generation = generation;
    this.since = since;
    this.thread = thread;
    boolean captured = spec.config().captureStack() && Thread.currentThread() == thread;
    this.takenAt = captured ? new Throwable("taken here") : null;
  }

  public @Nullable Throwable takenAt() {
    return takenAt;
  }

  /** Ends it for its owner; false if it is lost or was ended before. */
  public synchronized boolean finish() {
    boolean ended = active;
    active = false;
    return ended;
  }

  /** Ends it as lost and returns the callbacks to call; null if its owner ended it before. */
  public synchronized @Nullable List<Consumer<? super LockLoss>> lose(LockLoss lost) {
    if (!active) {
      return null;
    }
    active = false;
    loss = lost;
    return lossCallbacks != null ? lossCallbacks : List.of();
  }

  public boolean isActive() {
    return active;
  }

  public boolean isValid(long now) {
    return active && tenure.isValid(now);
  }

  /** Keeps the callback for a loss to come; if it has come already returns that instead. */
  public synchronized @Nullable LockLoss addLossCallback(Consumer<? super LockLoss> callback) {
    if (loss == null && active) {
      if (lossCallbacks == null) {
        lossCallbacks = new ArrayList<>(1);
      }
      lossCallbacks.add(callback);
    }
    return loss;
  }

  /** How it was lost, or null if it was not. */
  public synchronized @Nullable LockLoss loss() {
    return loss;
  }

  /** Keeps the callback for a return of the lock. */
  public synchronized void addReturnCallback(Consumer<? super Finding> callback) {
    if (returnCallbacks == null) {
      returnCallbacks = new ArrayList<>(1);
    }
    returnCallbacks.add(callback);
  }

  public synchronized List<Consumer<? super Finding>> returnCallbacks() {
    return returnCallbacks == null ? List.of() : List.copyOf(returnCallbacks);
  }

  /** The calling thread has waited for it, and gets the handle. */
  public void acquiredOnThread() {
    acquiredOnThread = true;
  }

  /** True if the thread got the handle to this itself, and may have it still. */
  public boolean isHandleOf(Thread asking) {
    return acquiredOnThread && thread == asking && active;
  }

  /** True once. */
  boolean takeSelfWait() {
    boolean first = !selfWaitTold;
    selfWaitTold = true;
    return first;
  }

  /** Its thread runs. */
  public void moved(long now) {
    place = 0;
    thereSince = now;
  }

  /** For how long its thread has been seen at the same place. */
  public long stillFor(int seenAt, long now) {
    if (seenAt != place || thereSince == 0) {
      place = seenAt;
      thereSince = now;
    }
    return now - thereSince;
  }

  /** True once. */
  public boolean takeHeldLong() {
    boolean first = !heldLongTold;
    heldLongTold = true;
    return first;
  }
}
