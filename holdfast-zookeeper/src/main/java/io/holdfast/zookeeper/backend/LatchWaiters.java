package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;

/**
 * Who waits at a latch, for people who look: an ephemeral node for each, in a container of its own
 * beside the gate, so that whoever asks for the gate does not read the names of all others. Nobody
 * waits for these nodes to be written, and counting down does not touch them.
 */
final class LatchWaiters {
  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int MOST_ROUNDS = 10;
  private static final byte[] NOTHING = {};

  /** A node that was, or is being, written. */
  record Node(Session session, String path, CompletableFuture<Boolean> written) {
    boolean isGood(Session now) {
      return session == now && !written.isCompletedExceptionally();
    }
  }

  private final EngineContext parts;
  private volatile boolean closed;

  LatchWaiters(EngineContext parts) {
    this.parts = parts;
  }

  private String container(Resource latch) {
    return parts.paths().child(latch, LatchNodes.WAITERS);
  }

  /** Writes who waits. That it fails is no harm: the next attempt writes it. */
  Node write(Session session, AcquireRequest request) {
    String folder = container(request.resource());
    String path = folder + "/" + Escape.encode(request.owner().toString());
    byte[] data =
        NodeData.of(parts.context().identity(), request.thread(), 0, request.note()).bytes();
    return new Node(session, path, create(session, folder, path, data, 1));
  }

  private CompletableFuture<Boolean> create(
      Session session, String folder, String path, byte[] data, int round) {
    return session
        .create(path, data, CreateMode.EPHEMERAL)
        .handle(
            (done, fault) -> {
              if (fault == null || ZooKeeperFaults.isThere(fault)) {
                return CompletableFuture.completedFuture(true);
              }
              if (ZooKeeperFaults.isMissing(fault) && round < MOST_ROUNDS) {
                return withContainer(session, folder, path, data, round);
              }
              return CompletableFuture.<Boolean>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  /** Both in one step: a container that never had anything in it is never removed. */
  private CompletableFuture<Boolean> withContainer(
      Session session, String folder, String path, byte[] data, int round) {
    return session
        .all(
            List.of(
                session.creating(folder, NOTHING, CreateMode.CONTAINER),
                session.creating(path, data, CreateMode.EPHEMERAL)))
        .handle(
            (done, fault) ->
                fault == null
                    ? CompletableFuture.completedFuture(true)
                    : ZooKeeperFaults.isThere(fault)
                        ? create(session, folder, path, data, round + 1)
                        : CompletableFuture.<Boolean>failedFuture(fault)) // the latch is gone
        .thenCompose(next -> next);
  }

  /** Removes a node, after it was written, and again until it is known to be gone. */
  void remove(Node node) {
    node.written()
        .handle((done, fault) -> true)
        .thenCompose(ready -> node.session().delete(node.path(), -1))
        .whenComplete(
            (done, fault) -> {
              boolean gone = fault == null || ZooKeeperFaults.isMissing(fault);
              if (!gone && !node.session().isOver() && !closed) {
                parts.context().scheduler().schedule(AGAIN_NANOS, () -> remove(node));
              }
            });
  }

  /**
   * Those who wait for one gate.
   *
   * @param gate the transaction that created it: whoever came before waited for an earlier one and
   *     has only not noticed yet that it was opened
   */
  CompletableFuture<List<LockSnapshot.Waiter>> list(Session session, Resource latch, long gate) {
    String folder = container(latch);
    return session
        .latestChildren(folder)
        .thenCompose(
            children -> {
              List<CompletableFuture<List<LockSnapshot.Waiter>>> reads = new ArrayList<>();
              for (String name : children.names()) {
                reads.add(read(session, folder + "/" + name, Escape.decode(name), gate));
              }
              return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
                  .thenApply(done -> reads.stream().flatMap(each -> each.join().stream()).toList());
            });
  }

  /** One, or none if it is gone or came too early. */
  private static CompletableFuture<List<LockSnapshot.Waiter>> read(
      Session session, String path, String owner, long gate) {
    return session
        .read(path, null)
        .thenApply(
            content ->
                content.stat().createdBy() > gate && owner.indexOf(':') > 0
                    ? List.of(waiter(Owner.parse(owner), content))
                    : List.<LockSnapshot.Waiter>of())
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(List.of())
                    : CompletableFuture.failedFuture(fault));
  }

  private static LockSnapshot.Waiter waiter(Owner owner, Content content) {
    NodeData stored = content.stored();
    return new LockSnapshot.Waiter(
        stored.client(owner.clientId()),
        owner,
        0,
        stored.thread(),
        Instant.ofEpochMilli(content.stat().createdAt()),
        stored.note());
  }

  void close() {
    closed = true;
  }
}
