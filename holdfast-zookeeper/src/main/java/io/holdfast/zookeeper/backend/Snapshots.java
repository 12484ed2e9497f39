package io.holdfast.zookeeper.backend;

import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Reads a whole line with the data of every node, and tells holders from waiters. */
final class Snapshots {
  /**
   * A line with the contents of its nodes.
   *
   * @param line the line
   * @param contents the contents by name; nodes deleted meanwhile are missing
   * @param holders the tickets of the holders
   */
  record View(Line line, Map<String, Content> contents, List<Ticket> holders) {
    boolean holds(Ticket ticket) {
      return holders.contains(ticket);
    }
  }

  private final EngineContext engine;

  Snapshots(EngineContext engine) {
    this.engine = engine;
  }

  CompletableFuture<View> view(Session session, Resource resource) {
    return session
        .latestChildren(engine.paths().of(resource))
        .thenCompose(list -> read(session, resource, Line.of(resource, list.names())));
  }

  private CompletableFuture<View> read(Session session, Resource resource, Line line) {
    line.requireOneKind();
    Map<String, Content> contents = new ConcurrentHashMap<>();
    List<CompletableFuture<Boolean>> reads = new ArrayList<>();
    for (Ticket ticket : line.tickets()) {
      reads.add(
          session
              .find(engine.paths().child(resource, ticket.name()), null)
              .thenApply(
                  found -> {
                    found.ifPresent(content -> contents.put(ticket.name(), content));
                    return found.isPresent();
                  }));
    }
    return Futures.all(reads).thenApply(all -> new View(line, contents, holders(line, contents)));
  }

  /**
   * The owners that have claimed the lock and those whose turn it is, except a writer that still
   * waits for a reader that has overtaken it.
   */
  private static List<Ticket> holders(Line line, Map<String, Content> contents) {
    List<Ticket> turn = line.holders(line.tickets());
    boolean overtaken =
        !turn.isEmpty()
            && turn.get(0).type() == Ticket.Type.WRITE
            && line.possibleOvertakers(turn.get(0)).stream()
                .anyMatch(each -> hasClaimed(each, contents));
    List<Ticket> holders = new ArrayList<>();
    for (Ticket ticket : line.tickets()) {
      boolean hasTurn = !overtaken && turn.contains(ticket) && contents.containsKey(ticket.name());
      if (hasTurn || hasClaimed(ticket, contents)) {
        holders.add(ticket);
      }
    }
    return holders;
  }

  private static boolean hasClaimed(Ticket ticket, Map<String, Content> contents) {
    Content content = contents.get(ticket.name());
    return content != null && content.data().declaresHold();
  }

  CompletableFuture<LockSnapshot> snapshot(Session session, Resource resource) {
    return view(session, resource)
        .thenCombine(
            engine.fence().offset(session), (view, offset) -> snapshot(session, view, offset));
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
    NodeData data = content.data();
    NodeStat stat = content.stat();
    long transaction = stat.createdBy();
    long since = stat.createdAt();
    if (data.state() == NodeData.State.CLAIMED) {
      since = stat.changedAt();
      if (ticket.type().kind == Resource.Kind.READ_WRITE) {
        transaction = stat.changedBy();
      }
    } else if (data.state() == NodeData.State.HELD) {
      since = data.since();
      transaction = data.grant();
    }
    return new LockSnapshot.Holder(
        data.client(ticket.owner().clientId()),
        ticket.owner(),
        line.amountOf(ticket),
        data.thread(),
        Instant.ofEpochMilli(since),
        left(session, content),
        TokenBlock.ofTick(Math.max(1, transaction + offset)).first(),
        1);
  }

  /**
   * The rest of a lease, in milliseconds. A lease that lasts with its session is shown in full, as
   * if it were renewed now; so is the lease of an owner that has not noticed its turn yet.
   */
  private long left(Session session, Content content) {
    NodeData data = content.data();
    if (data.leaseMillis() == 0) {
      return session.leaseMillis();
    }
    if (data.state() == NodeData.State.WAITING) {
      return data.leaseMillis();
    }
    long wallClock = engine.context().time().now().toEpochMilli();
    long end = content.stat().changedAt() + data.leaseMillis();
    return Math.min(data.leaseMillis(), end - engine.clock().millis(engine.now(), wallClock));
  }

  private static LockSnapshot.Waiter waiter(Ticket ticket, Content content) {
    NodeData data = content.data();
    return new LockSnapshot.Waiter(
        data.client(ticket.owner().clientId()),
        ticket.owner(),
        ticket.amount(),
        data.thread(),
        Instant.ofEpochMilli(content.stat().createdAt()),
        data.note());
  }
}
