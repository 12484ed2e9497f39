package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Changes the number of permits of a semaphore. A changed number is part of the name of a permanent
 * node, so that every client that reads the line knows it. The number that all clients declare
 * needs no node.
 */
final class Limits {
  private static final byte[] NOTHING = {};
  private static final int MAX_ROUNDS = 20;

  private final EngineContext engine;
  private final Snapshots snapshots;

  Limits(EngineContext engine, Snapshots snapshots) {
    this.engine = engine;
    this.snapshots = snapshots;
  }

  CompletableFuture<Boolean> set(Session session, Resource resource, int declared, int limit) {
    return set(session, resource, declared, limit, 1);
  }

  private CompletableFuture<Boolean> set(
      Session session, Resource resource, int declared, int limit, int round) {
    return snapshots
        .view(session, resource)
        .thenCompose(view -> apply(session, changes(session, resource, view, declared, limit)))
        .exceptionallyCompose(
            fault ->
                hasChanged(fault) && round < MAX_ROUNDS
                    ? engine
                        .paths()
                        .make(session, resource)
                        .thenCompose(made -> set(session, resource, declared, limit, round + 1))
                    : CompletableFuture.failedFuture(fault));
  }

  private static CompletableFuture<Boolean> apply(Session session, List<Op> changes) {
    return changes.isEmpty()
        ? CompletableFuture.completedFuture(true)
        : session.all(changes).thenApply(done -> true);
  }

  /** True if the line has changed since it was read. */
  private static boolean hasChanged(Throwable fault) {
    return ZooKeeperFaults.isChanged(fault)
        || ZooKeeperFaults.isThere(fault)
        || ZooKeeperFaults.isMissing(fault);
  }

  private List<Op> changes(
      Session session, Resource resource, Snapshots.View view, int declared, int limit) {
    view.line().requireLimit(declared, null);
    List<Op> operations = new ArrayList<>();
    String former = view.line().limitNode();
    String next = Line.limitName(declared, limit);
    if (next.equals(former)) {
      return operations;
    }
    if (former != null) {
      operations.add(Op.delete(engine.paths().child(resource, former), -1));
    }
    if (limit != declared) {
      operations.add(
          session.creating(engine.paths().child(resource, next), NOTHING, CreateMode.PERSISTENT));
    }
    if (limit < view.line().limit()) {
      operations.addAll(claims(resource, view));
    }
    return operations;
  }

  /**
   * Marks the nodes of the present holders, so that they stay holders: the smaller limit alone
   * would make waiters of them.
   */
  private List<Op> claims(Resource resource, Snapshots.View view) {
    List<Op> operations = new ArrayList<>();
    for (Ticket holder : view.holders()) {
      Content content = view.contents().get(holder.name());
      if (content != null && content.data().state() == NodeData.State.NEW) {
        operations.add(claim(engine.paths().child(resource, holder.name()), content));
      }
    }
    return operations;
  }

  private static Op claim(String path, Content content) {
    NodeStat stat = content.stat();
    NodeData held =
        content
            .data()
            .in(
                NodeData.State.HELD,
                content.data().leaseMillis(),
                stat.createdAt(),
                stat.createdBy());
    return Op.setData(path, held.bytes(), stat.version());
  }
}
