package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.LockSnapshot;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Count-down latches. Whoever waits watches the gate and remembers which one it was: a gate that
 * was opened and set again meanwhile is another one, and those who waited for the first may pass.
 */
final class Latches {
  private static final byte[] NOTHING = {};
  private static final int MOST_ROUNDS = 1000;

  /** The gate that an owner waits for, by the transaction that created it. */
  private record Wait(long gate, OneShotWatch watch, Session session, LatchWaiters.Node node) {}

  private final EngineContext parts;
  private final LatchWaiters waiters;
  private final Map<Owner, Wait> waits = new ConcurrentHashMap<>();

  Latches(EngineContext parts) {
    this.parts = parts;
    this.waiters = new LatchWaiters(parts);
  }

  private String gate(Resource latch) {
    return parts.paths().child(latch, LatchNodes.GATE);
  }

  private String counter(Resource latch) {
    return parts.paths().child(latch, LatchNodes.COUNT);
  }

  // ---- waiting

  CompletableFuture<AcquireResult> pass(Session session, AcquireRequest request) {
    Owner owner = request.owner();
    Wait before = waits.get(owner);
    OneShotWatch watch =
        before != null && before.session() == session && !before.watch().hasFired()
            ? before.watch()
            : new OneShotWatch(fired -> parts.context().signals().changed(owner));
    String container = parts.paths().of(request.resource());
    CompletableFuture<Boolean> ordered = session.order(container);
    CompletableFuture<Children> children =
        session.children(container, null).exceptionally(fault -> Children.NONE);
    CompletableFuture<NodeStat> gate =
        session.stat(gate(request.resource()), request.enqueue() ? watch : null);
    return ordered
        .thenCombine(children, (done, list) -> list)
        .thenCompose(
            list -> {
              Line.of(request.resource(), list.names()).requireOneKind();
              return gate.thenApply(stat -> arrived(request, stat.createdBy(), watch, session));
            })
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(passed(request))
                    : CompletableFuture.failedFuture(fault));
  }

  private AcquireResult arrived(
      AcquireRequest request, long gate, OneShotWatch watch, Session session) {
    Wait before = waits.get(request.owner());
    if (before != null && before.gate() != gate) {
      return passed(request);
    }
    if (request.enqueue()) {
      LatchWaiters.Node node =
          before != null && before.node().isGood(session)
              ? before.node()
              : waiters.write(session, request);
      waits.put(request.owner(), new Wait(gate, watch, session, node));
    }
    return new AcquireResult.Busy(-1);
  }

  /** Nobody holds an open latch, so its tokens are nobody's. */
  private AcquireResult passed(AcquireRequest request) {
    drop(request.owner());
    return new AcquireResult.Granted(TokenBlock.ofTick(1), request.leaseMillis(), false);
  }

  /** Stops waiting; once more when the answer to a last attempt can be late no longer. */
  void leave(Owner owner) {
    drop(owner);
    parts.context().scheduler().schedule(2 * parts.timeout().toNanos(), () -> drop(owner));
  }

  private void drop(Owner owner) {
    Wait wait = waits.remove(owner);
    if (wait != null) {
      waiters.remove(wait.node());
    }
  }

  void close() {
    waiters.close();
  }

  // ---- looking, and opening by hand

  CompletableFuture<LockSnapshot> inspect(Session session, Resource latch) {
    return requireLatch(session, latch)
        .thenCompose(ready -> session.read(counter(latch), null))
        .thenCompose(
            counter ->
                waiters
                    .list(session, latch, counter.stat().createdBy()) // with the gate, in one step
                    .thenApply(list -> LockSnapshot.ofLatch(number(counter.text()), list)))
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(LockSnapshot.FREE)
                    : CompletableFuture.failedFuture(fault));
  }

  /** Opens it whatever its count; true if it was closed. */
  CompletableFuture<Boolean> open(Session session, Resource latch) {
    return requireLatch(session, latch)
        .thenCompose(
            ready ->
                session.all(List.of(Op.delete(counter(latch), -1), Op.delete(gate(latch), -1))))
        .thenApply(done -> true)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(false)
                    : CompletableFuture.failedFuture(fault));
  }

  private CompletableFuture<Boolean> requireLatch(Session session, Resource latch) {
    return session
        .latestChildren(parts.paths().of(latch))
        .thenApply(
            children -> {
              Line.of(latch, children.names()).requireOneKind();
              return true;
            });
  }

  // ---- counting

  CompletableFuture<Boolean> trySet(Session session, Resource latch, long count) {
    return trySet(session, latch, count, 1);
  }

  private CompletableFuture<Boolean> trySet(
      Session session, Resource latch, long count, int round) {
    CompletableFuture<?> made =
        session.all(
            List.of(
                session.creating(gate(latch), NOTHING, CreateMode.PERSISTENT),
                session.creating(counter(latch), bytes(count), CreateMode.PERSISTENT)));
    CompletableFuture<Children> children = session.children(parts.paths().of(latch), null);
    return made.handle(
            (done, fault) -> {
              if (fault == null) {
                return children.thenCompose(list -> keepIfLatch(session, latch, list));
              }
              if (ZooKeeperFaults.isThere(fault)) {
                return CompletableFuture.completedFuture(false);
              }
              if (ZooKeeperFaults.isMissing(fault) && round < MOST_ROUNDS) {
                return parts
                    .paths()
                    .make(session, latch)
                    .thenCompose(ready -> trySet(session, latch, count, round + 1));
              }
              return CompletableFuture.<Boolean>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  /** A key is of one kind: if somebody uses it as a lock, what was set is taken back. */
  private CompletableFuture<Boolean> keepIfLatch(
      Session session, Resource latch, Children children) {
    try {
      Line.of(latch, children.names()).requireOneKind();
      return CompletableFuture.completedFuture(true);
    } catch (BackendException e) {
      return session
          .all(List.of(Op.delete(gate(latch), -1), Op.delete(counter(latch), -1)))
          .handle((done, fault) -> true)
          .thenCompose(done -> CompletableFuture.failedFuture(e));
    }
  }

  /**
   * What is read may be old, and is compared as it is written; that there is nothing to read must
   * be asked for again in order, as nothing is written then.
   */
  CompletableFuture<Long> countDown(Session session, Resource latch) {
    return countDown(session, latch, 1)
        .thenCompose(
            left -> {
              if (left >= 0) {
                return CompletableFuture.completedFuture(left);
              }
              CompletableFuture<Boolean> ordered = session.order(parts.paths().of(latch));
              CompletableFuture<Long> again = countDown(session, latch, 1);
              return ordered.thenCombine(again, (done, count) -> count);
            });
  }

  /** Compares and sets; that it fails means that somebody else has counted. */
  private CompletableFuture<Long> countDown(Session session, Resource latch, int round) {
    return session
        .read(counter(latch), null)
        .thenCompose(
            content -> {
              long left = number(content.text()) - 1;
              int version = content.stat().version();
              CompletableFuture<?> step =
                  left > 0
                      ? session.write(counter(latch), bytes(left), version)
                      : session.all(
                          List.of(Op.delete(counter(latch), version), Op.delete(gate(latch), -1)));
              return step.handle(
                      (done, fault) -> {
                        if (fault == null) {
                          return CompletableFuture.completedFuture(left);
                        }
                        boolean changed =
                            ZooKeeperFaults.isChanged(fault) || ZooKeeperFaults.isMissing(fault);
                        return changed && round < MOST_ROUNDS
                            ? countDown(session, latch, round + 1)
                            : CompletableFuture.<Long>failedFuture(fault);
                      })
                  .thenCompose(next -> next);
            })
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(-1L)
                    : CompletableFuture.failedFuture(fault));
  }

  CompletableFuture<Long> count(Session session, Resource latch) {
    CompletableFuture<Boolean> ordered = session.order(parts.paths().of(latch));
    CompletableFuture<Long> count =
        session
            .read(counter(latch), null)
            .thenApply(content -> number(content.text()))
            .exceptionallyCompose(
                fault ->
                    ZooKeeperFaults.isMissing(fault)
                        ? CompletableFuture.completedFuture(0L)
                        : CompletableFuture.failedFuture(fault));
    return ordered.thenCombine(count, (done, number) -> number);
  }

  private static byte[] bytes(long count) {
    return Long.toString(count).getBytes(StandardCharsets.UTF_8);
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BackendException(
          "the count of the latch is not a number: '" + text + "'; delete its node", e);
    }
  }
}
