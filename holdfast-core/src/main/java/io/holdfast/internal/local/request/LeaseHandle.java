package io.holdfast.internal.local.request;

import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockLoss;
import io.holdfast.internal.base.Awaits;
import io.holdfast.internal.base.Callbacks;
import io.holdfast.internal.lease.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A hold in the hands of the application. */
public final class LeaseHandle implements Lease {
  private final Releasable lock;
  private final Hold hold;
  private final AtomicBoolean closed = new AtomicBoolean();

  public LeaseHandle(Releasable lock, Hold hold) {
    this.lock = lock;
    this.hold = hold;
  }

  public Hold hold() {
    return hold;
  }

  @Override
  public String key() {
    return lock.key();
  }

  @Override
  public long token() {
    return hold.token;
  }

  @Override
  public boolean isValid() {
    return hold.isValid(now());
  }

  @Override
  public boolean isDegraded() {
    return hold.tenure.isDegraded();
  }

  @Override
  public Duration remaining() {
    long now = now();
    return hold.isValid(now) ? Duration.ofNanos(hold.tenure.remainingNanos(now)) : Duration.ZERO;
  }

  @Override
  public Lease onLost(Consumer<? super LockLoss> callback) {
    LockLoss loss = hold.addLossCallback(callback);
    if (loss != null) {
      lock.callBack(callback, loss);
    }
    return this;
  }

  @Override
  public Lease onResumed(Consumer<? super Finding> callback) {
    hold.addReturnCallback(callback);
    return this;
  }

  @Override
  public void close() {
    Awaits.await(lock.context().backend(), closeAndTell());
  }

  /** Gives it back; completes, on whatever thread, when {@link #close} may return. */
  public CompletableFuture<@Nullable Void> closeAndTell() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<@Nullable Void> answer = lock.release(hold);
    return hold.spec.config().pipelinedRelease() ? CompletableFuture.completedFuture(null) : answer;
  }

  @Override
  public CompletableFuture<@Nullable Void> closeAsync() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    return Callbacks.completedOn(lock.context().answerLane(), lock.release(hold));
  }

  private long now() {
    return lock.context().now();
  }

  @Override
  public String toString() {
    return "Lease[%s, token %d, %s]".formatted(key(), token(), isValid() ? "valid" : "over");
  }
}
