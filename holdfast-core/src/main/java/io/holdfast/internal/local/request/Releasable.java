package io.holdfast.internal.local.request;

import io.holdfast.LockLoss;
import io.holdfast.internal.engine.Context;
import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.lease.Hold;
import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a hold belongs to: takes it back when its owner is done with it. */
public interface Releasable {
  /** The name of what is held. */
  String key();

  /** What is held. */
  Resource resource();

  /** The engine behind it. */
  LockEngine engine();

  /** What it shares with everyone else. */
  default Context context() {
    return engine().context();
  }

  /** Ends a hold. The future fails with {@code LockLostException} if it was lost before. */
  CompletableFuture<@Nullable Void> release(Hold ending);

  /** Calls the application. */
  default void callBack(Consumer<? super LockLoss> callback, LockLoss loss) {
    context().newsLane().execute(() -> callback.accept(loss));
  }
}
