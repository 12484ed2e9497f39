package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;

/**
 * Shows the waiters of a latch to operators: an ephemeral node for each waiter, in a container of
 * its own beside the gate, so that a client that asks for the gate does not read the names of all
 * waiters. No caller waits until these nodes are written, and counting down does not touch them.
 */
final class LatchWaiters {
  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int MAX_ROUNDS = 10;
  private static final byte[] NOTHING = {};

  /** A node that was written, or is being written. */
  record Node(Session session, String path, CompletableFuture<Boolean> written) {
    boolean isGood(Session now) {
      return session == now && !written.isCompletedExceptionally();
    }
  }

  private final EngineContext engine;
  private volatile boolean closed;

  LatchWaiters(EngineContext engine) {
    this.engine = engine;
  }

  private String container(Resource latch) {
    return engine.paths().child(latch, LatchNodes.WAITERS);
  }

  /** Writes the node of a waiter. A failure does no harm: the next attempt writes the node. */
  Node write(Session session, AcquireRequest request) {
    String folder = container(request.resource());
    String path = folder + "/" + Escape.encode(request.owner().toString());
    byte[] data =
        NodeData.of(engine.context().identity(), request.thread(), 0, request.note()).bytes();
    return new Node(session, path, create(session, folder, path, data, 1));
  }

  private CompletableFuture<Boolean> create(
      Session session, String folder, String path, byte[] data, int round) {
    return session
        .create(path, data, CreateMode.EPHEMERAL)
        .thenApply(created -> true)
        .exceptionallyCompose(
            fault -> {
              if (ZooKeeperFaults.isThere(fault)) {
                return CompletableFuture.completedFuture(true);
              }
              return ZooKeeperFaults.isMissing(fault) && round < MAX_ROUNDS
                  ? withContainer(session, folder, path, data, round)
                  : CompletableFuture.failedFuture(fault);
            });
  }

  /**
   * Creates container and node in one transaction, because the server never deletes a container
   * that has always been empty.
   */
  private CompletableFuture<Boolean> withContainer(
      Session session, String folder, String path, byte[] data, int round) {
    return session
        .all(
            List.of(
                session.creating(folder, NOTHING, CreateMode.CONTAINER),
                session.creating(path, data, CreateMode.EPHEMERAL)))
        .thenApply(done -> true)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isThere(fault)
                    ? create(session, folder, path, data, round + 1)
                    : CompletableFuture.failedFuture(fault)); // the latch is gone
  }

  /** Deletes a node once it was written, and tries again until it is known to be gone. */
  void remove(Node node) {
    node.written()
        .handle((done, fault) -> true)
        .thenCompose(ready -> node.session().delete(node.path(), -1))
        .whenComplete(
            (done, fault) -> {
              boolean gone = fault == null || ZooKeeperFaults.isMissing(fault);
              if (!gone && !node.session().isOver() && !closed) {
                engine.context().scheduler().schedule(RETRY_NANOS, () -> remove(node));
              }
            });
  }

  /**
   * The waiters of one gate.
   *
   * @param gate the transaction that created the gate: a node that is older belongs to a waiter of
   *     an earlier gate that has not noticed its opening yet
   */
  CompletableFuture<List<LockSnapshot.Waiter>> list(Session session, Resource latch, long gate) {
    String folder = container(latch);
    return session
        .latestChildren(folder)
        .thenCompose(
            children ->
                Futures.all(
                    children.names().stream()
                        .map(name -> read(session, folder, name, gate))
                        .toList()))
        .thenApply(waiters -> waiters.stream().flatMap(Optional::stream).toList());
  }

  /** Empty if the node is gone, or older than the gate. */
  private static CompletableFuture<Optional<LockSnapshot.Waiter>> read(
      Session session, String folder, String name, long gate) {
    String owner = Escape.decode(name);
    return session
        .find(folder + "/" + name, null)
        .thenApply(
            found ->
                found
                    .filter(content -> content.stat().createdBy() > gate && owner.indexOf(':') > 0)
                    .map(content -> waiter(Owner.parse(owner), content)));
  }

  private static LockSnapshot.Waiter waiter(Owner owner, Content content) {
    NodeData data = content.data();
    return new LockSnapshot.Waiter(
        data.client(owner.clientId()),
        owner,
        0,
        data.thread(),
        Instant.ofEpochMilli(content.stat().createdAt()),
        data.note());
  }

  void close() {
    closed = true;
  }
}
