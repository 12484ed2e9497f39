package io.holdfast.zookeeper.backend;

import io.holdfast.spi.TokenBlock;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes tokens of transaction numbers. These only grow, for as long as the servers keep their data;
 * should they ever start anew without it, they would start from nothing. So transactions are
 * counted on from the moment, in microseconds of server time, at which the root node was created:
 * servers that lost everything have a younger root.
 *
 * <pre>
 *   tick = transaction - transaction that created the root + microseconds at its creation
 * </pre>
 *
 * <p>Two clients must agree on the root. A watch tells when it is deleted, and ZooKeeper delivers
 * that news before any answer that is younger.
 */
final class Fence {
  private static final long MICROS_PER_MILLI = 1000;

  private final Paths paths;

  /** Guarded by this. */
  private @Nullable Session session;

  /** Guarded by this; null if it has to be asked for. */
  private @Nullable CompletableFuture<Long> offset;

  Fence(Paths paths) {
    this.paths = paths;
  }

  CompletableFuture<TokenBlock> tokens(Session of, long transaction) {
    return offset(of).thenApply(start -> TokenBlock.ofTick(transaction + start));
  }

  synchronized CompletableFuture<Long> offset(Session of) {
    CompletableFuture<Long> known = offset;
    if (known != null && session == of && !known.isCompletedExceptionally()) {
      return known;
    }
    CompletableFuture<Long> asked = new CompletableFuture<>();
    session = of;
    offset = asked;
    of.stat(paths.root(), deleted -> forget(asked))
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? paths
                        .makeRoot(of)
                        .thenCompose(done -> of.stat(paths.root(), deleted -> forget(asked)))
                    : CompletableFuture.failedFuture(fault))
        .whenComplete(
            (root, fault) -> {
              if (fault != null) {
                asked.completeExceptionally(fault);
              } else {
                asked.complete(root.createdAt() * MICROS_PER_MILLI - root.createdBy());
              }
            });
    return asked;
  }

  private synchronized void forget(CompletableFuture<Long> known) {
    if (offset == known) {
      offset = null;
    }
  }
}
