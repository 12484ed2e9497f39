package io.holdfast.zookeeper.backend;

import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Looks at a whole line, every node of it: who holds, who waits. */
final class Snapshots {
  /**
   * A line with everything that stands in its nodes.
   *
   * @param line the line
   * @param contents the nodes by name; one that went meanwhile is missing
   * @param holders those who hold
   */
  record View(Line line, Map<String, Content> contents, List<Ticket> holders) {
    boolean holds(Ticket ticket) {
      return holders.contains(ticket);
    }
  }

  private final EngineContext parts;

  Snapshots(EngineContext parts) {
    this.parts = parts;
  }

  CompletableFuture<View> view(Session session, Resource resource) {
    return session
        .latestChildren(parts.paths().of(resource))
        .thenCompose(list -> read(session, resource, Line.of(resource, list.names())));
  }

  private CompletableFuture<View> read(Session session, Resource resource, Line line) {
    line.requireOneKind();
    Map<String, Content> contents = new HashMap<>();
    List<CompletableFuture<?>> reads = new ArrayList<>();
    for (Ticket ticket : line.tickets()) {
      reads.add(
          session
              .read(parts.paths().child(resource, ticket.name()), null)
              .thenAccept(
                  content -> {
                    synchronized (contents) {
                      contents.put(ticket.name(), content);
                    }
                  })
              .exceptionallyCompose(
                  fault ->
                      ZooKeeperFaults.isMissing(fault)
                          ? CompletableFuture.completedFuture(null)
                          : CompletableFuture.failedFuture(fault)));
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
        .thenApply(all -> new View(line, contents, holders(line, contents)));
  }

  /**
   * Those who have said that they hold, and those whose turn it is: except a writer that still
   * waits for a reader that has overtaken it.
   */
  private static List<Ticket> holders(Line line, Map<String, Content> contents) {
    List<Ticket> turn = line.holders(line.tickets());
    boolean overtaken =
        !turn.isEmpty()
            && turn.get(0).type() == Ticket.Type.WRITE
            && line.possibleOvertakers(turn.get(0)).stream().anyMatch(each -> says(each, contents));
    List<Ticket> holders = new ArrayList<>();
    for (Ticket ticket : line.tickets()) {
      boolean hasTurn = !overtaken && turn.contains(ticket) && contents.containsKey(ticket.name());
      if (hasTurn || says(ticket, contents)) {
        holders.add(ticket);
      }
    }
    return holders;
  }

  private static boolean says(Ticket ticket, Map<String, Content> contents) {
    Content content = contents.get(ticket.name());
    return content != null && content.stored().says(NodeData.State.CLAIMED, NodeData.State.HELD);
  }

  CompletableFuture<LockSnapshot> snapshot(Session session, Resource resource) {
    return view(session, resource)
        .thenCombine(
            parts.fence().offset(session), (view, offset) -> snapshot(session, view, offset));
  }

  private LockSnapshot snapshot(Session session, View view, long offset) {
    List<LockSnapshot.Holder> holders = new ArrayList<>();
    List<LockSnapshot.Waiter> waiters = new ArrayList<>();
    for (Ticket ticket : view.line().tickets()) {
      Content content = view.contents().get(ticket.name());
      if (content == null) {
        continue;
      }
      if (!view.holds(ticket)) {
        waiters.add(waiter(ticket, content));
      } else if (left(session, content) > 0) {
        holders.add(holder(session, view.line(), ticket, content, offset));
      }
    }
    return new LockSnapshot(holders, waiters, view.line().limit());
  }

  private LockSnapshot.Holder holder(
      Session session, Line line, Ticket ticket, Content content, long offset) {
    NodeData stored = content.stored();
    NodeStat stat = content.stat();
    long transaction = stat.createdBy();
    long since = stat.createdAt();
    if (stored.state() == NodeData.State.CLAIMED) {
      since = stat.changedAt();
      if (ticket.type().kind == Resource.Kind.READ_WRITE) {
        transaction = stat.changedBy();
      }
    } else if (stored.state() == NodeData.State.HELD) {
      since = stored.since();
      transaction = stored.grant();
    }
    return new LockSnapshot.Holder(
        stored.client(ticket.owner().clientId()),
        ticket.owner(),
        line.amountOf(ticket),
        stored.thread(),
        Instant.ofEpochMilli(since),
        left(session, content),
        TokenBlock.ofTick(Math.max(1, transaction + offset)).first(),
        1);
  }

  /**
   * What is left of a lease. One that lasts with its session is shown in full, as it would be if it
   * were renewed now; the same for somebody who has not found out yet that it holds.
   */
  private long left(Session session, Content content) {
    NodeData stored = content.stored();
    if (stored.leaseMillis() == 0) {
      return session.leaseMillis();
    }
    if (stored.state() == NodeData.State.WAITING) {
      return stored.leaseMillis();
    }
    long people = parts.context().time().now().toEpochMilli();
    long end = content.stat().changedAt() + stored.leaseMillis();
    return Math.min(stored.leaseMillis(), end - parts.clock().millis(parts.now(), people));
  }

  private static LockSnapshot.Waiter waiter(Ticket ticket, Content content) {
    NodeData stored = content.stored();
    return new LockSnapshot.Waiter(
        stored.client(ticket.owner().clientId()),
        ticket.owner(),
        ticket.amount(),
        stored.thread(),
        Instant.ofEpochMilli(content.stat().createdAt()),
        stored.note());
  }
}
