package io.holdfast.zookeeper.backend;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Combines futures. */
final class Futures {
  private Futures() {}

  /** Completes when all of them have; fails, then, if one of them has failed. */
  static <T> CompletableFuture<List<T>> all(Collection<CompletableFuture<T>> futures) {
    List<CompletableFuture<T>> each = List.copyOf(futures);
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
        .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
  }

  /** Completes the second future as the first one completes. */
  static <T> void relay(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete(
        (value, fault) -> {
          if (fault != null) {
            to.completeExceptionally(ZooKeeperFaults.unwrap(fault));
          } else {
            to.complete(value);
          }
        });
  }
}
