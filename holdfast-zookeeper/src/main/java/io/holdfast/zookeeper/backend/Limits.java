package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Changes how much there is of a semaphore. A changed number stands in the name of a node that
 * stays, so that whoever reads the line knows it; the number that everyone declares needs none.
 */
final class Limits {
  private static final byte[] NOTHING = {};
  private static final int MOST_ROUNDS = 20;

  private final EngineContext parts;
  private final Snapshots snapshots;

  Limits(EngineContext parts, Snapshots snapshots) {
    this.parts = parts;
    this.snapshots = snapshots;
  }

  CompletableFuture<Boolean> set(Session session, Resource resource, int declared, int limit) {
    return set(session, resource, declared, limit, 1);
  }

  private CompletableFuture<Boolean> set(
      Session session, Resource resource, int declared, int limit, int round) {
    return snapshots
        .view(session, resource)
        .thenCompose(
            view -> {
              view.line().requireLimit(declared, null);
              List<Op> steps = steps(session, resource, view, declared, limit);
              return steps.isEmpty()
                  ? CompletableFuture.completedFuture(List.of())
                  : session.all(steps);
            })
        .handle(
            (done, fault) -> {
              if (fault == null) {
                return CompletableFuture.completedFuture(true);
              }
              boolean changed =
                  ZooKeeperFaults.isChanged(fault)
                      || ZooKeeperFaults.isThere(fault)
                      || ZooKeeperFaults.isMissing(fault);
              if (changed && round < MOST_ROUNDS) {
                return parts
                    .paths()
                    .make(session, resource)
                    .thenCompose(made -> set(session, resource, declared, limit, round + 1));
              }
              return CompletableFuture.<Boolean>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  private List<Op> steps(
      Session session, Resource resource, Snapshots.View view, int declared, int limit) {
    List<Op> steps = new ArrayList<>();
    String former = view.line().limitNode();
    String next = Line.limitName(declared, limit);
    if (next.equals(former)) {
      return steps;
    }
    if (former != null) {
      steps.add(Op.delete(parts.paths().child(resource, former), -1));
    }
    if (limit != declared) {
      steps.add(
          session.creating(parts.paths().child(resource, next), NOTHING, CreateMode.PERSISTENT));
    }
    if (limit < view.line().limit()) {
      steps.addAll(saidSo(resource, view));
    }
    return steps;
  }

  /** What is held stays held: by the new number alone one could not tell who holds. */
  private List<Op> saidSo(Resource resource, Snapshots.View view) {
    List<Op> steps = new ArrayList<>();
    for (Ticket holder : view.holders()) {
      Content content = view.contents().get(holder.name());
      if (content != null && content.stored().state() == NodeData.State.NEW) {
        NodeData stored = content.stored();
        NodeData held =
            stored.in(
                NodeData.State.HELD,
                stored.leaseMillis(),
                content.stat().createdAt(),
                content.stat().createdBy());
        steps.add(
            Op.setData(
                parts.paths().child(resource, holder.name()),
                held.bytes(),
                content.stat().version()));
      }
    }
    return steps;
  }
}
