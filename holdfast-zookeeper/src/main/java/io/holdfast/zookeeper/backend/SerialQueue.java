package io.holdfast.zookeeper.backend;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs asynchronous tasks one after the other, in the order in which they were added. */
final class SerialQueue {
  /** Guarded by this. */
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  /** Runs a task when all tasks that were added before it are finished. */
  <T> CompletableFuture<T> add(Supplier<CompletableFuture<T>> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    CompletableFuture<?> before;
    synchronized (this) {
      before = last;
      last = done;
    }
    Futures.relay(before.handle((result, fault) -> true).thenCompose(free -> task.get()), done);
    return done;
  }
}
