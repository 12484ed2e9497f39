package io.holdfast.zookeeper.backend;

import io.holdfast.spi.TokenBlock;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes tokens of transaction numbers. These only grow as long as the servers keep their data; if
 * the servers ever started anew without it, the numbers would start from zero. So they are counted
 * on from the creation of the root node, in microseconds of server time: servers that have lost
 * their data have a younger root.
 *
 * <pre>
 *   tick = transaction - transaction that created the root + microseconds at its creation
 * </pre>
 *
 * <p>All clients must count from the same root. A watch tells when the root is deleted, and
 * ZooKeeper delivers its event before any later answer.
 */
final class Fence {
  private static final long MICROS_PER_MILLI = 1000;

  private final Paths paths;

  /** Guarded by this. */
  private @Nullable Session session;

  /** Guarded by this; null if the root must be read. */
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
    Futures.relay(
        statOfRoot(of, asked)
            .exceptionallyCompose(
                ZooKeeperFaults.ifMissingThen(
                    () -> paths.makeRoot(of).thenCompose(done -> statOfRoot(of, asked))))
            .thenApply(root -> root.createdAt() * MICROS_PER_MILLI - root.createdBy()),
        asked);
    return asked;
  }

  private CompletableFuture<NodeStat> statOfRoot(Session of, CompletableFuture<Long> asked) {
    return of.stat(paths.root(), deleted -> forget(asked));
  }

  private synchronized void forget(CompletableFuture<Long> known) {
    if (offset == known) {
      offset = null;
    }
  }
}
