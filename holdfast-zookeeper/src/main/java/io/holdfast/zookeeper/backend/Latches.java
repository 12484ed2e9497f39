package io.holdfast.zookeeper.backend;

import static io.holdfast.zookeeper.backend.ZooKeeperFaults.ifMissing;
import static io.holdfast.zookeeper.backend.ZooKeeperFaults.ifMissingThen;

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
 * Count-down latches. A waiter watches the gate and remembers which gate it was: a gate that was
 * opened and set again meanwhile is another one, and the waiters of the first may pass.
 */
final class Latches {
  private static final byte[] NOTHING = {};
  private static final int MAX_ROUNDS = 1000;

  /** The gate that an owner waits for, by the transaction that created it. */
  private record Wait(long gate, OneShotWatch watch, Session session, LatchWaiters.Node node) {}

  private final EngineContext engine;
  private final LatchWaiters waiters;
  private final Map<Owner, Wait> waits = new ConcurrentHashMap<>();

  Latches(EngineContext engine) {
    this.engine = engine;
    this.waiters = new LatchWaiters(engine);
  }

  private String gate(Resource latch) {
    return engine.paths().child(latch, LatchNodes.GATE);
  }

  private String counter(Resource latch) {
    return engine.paths().child(latch, LatchNodes.COUNT);
  }

  // ---- waiting

  CompletableFuture<AcquireResult> pass(Session session, AcquireRequest request) {
    Owner owner = request.owner();
    Wait before = waits.get(owner);
    OneShotWatch watch =
        before != null && before.session() == session && !before.watch().hasFired()
            ? before.watch()
            : new OneShotWatch(fired -> engine.context().signals().changed(owner));
    String container = engine.paths().of(request.resource());
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
              return gate;
            })
        .thenApply(stat -> arrived(request, stat.createdBy(), watch, session))
        .exceptionallyCompose(
            ifMissingThen(() -> CompletableFuture.completedFuture(passed(request))));
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

  /** An open latch has no holder, so its tokens protect nothing. */
  private AcquireResult passed(AcquireRequest request) {
    drop(request.owner());
    return new AcquireResult.Granted(TokenBlock.ofTick(1), request.leaseMillis(), false);
  }

  /** Stops waiting, and stops again after the latest possible answer to the last attempt. */
  void leave(Owner owner) {
    drop(owner);
    engine.context().scheduler().schedule(2 * engine.timeout().toNanos(), () -> drop(owner));
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

  // ---- inspection and forced opening

  CompletableFuture<LockSnapshot> inspect(Session session, Resource latch) {
    return requireLatch(session, latch)
        .thenCompose(ready -> session.read(counter(latch), null))
        .thenCompose(
            counter ->
                waiters
                    .list(
                        session,
                        latch,
                        counter.stat().createdBy()) // the gate was created in the same transaction
                    .thenApply(list -> LockSnapshot.ofLatch(number(counter.text()), list)))
        .exceptionallyCompose(ifMissing(LockSnapshot.FREE));
  }

  /** Opens the latch whatever its count; true if it was closed. */
  CompletableFuture<Boolean> open(Session session, Resource latch) {
    return requireLatch(session, latch)
        .thenCompose(
            ready ->
                session.all(List.of(Op.delete(counter(latch), -1), Op.delete(gate(latch), -1))))
        .thenApply(done -> true)
        .exceptionallyCompose(ifMissing(false));
  }

  private CompletableFuture<Boolean> requireLatch(Session session, Resource latch) {
    return session
        .latestChildren(engine.paths().of(latch))
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
    CompletableFuture<Children> children = session.children(engine.paths().of(latch), null);
    return made.handle(
            (done, fault) ->
                fault == null
                    ? children.thenCompose(list -> keepIfLatch(session, latch, list))
                    : notSet(session, latch, count, round, fault))
        .thenCompose(next -> next);
  }

  private CompletableFuture<Boolean> notSet(
      Session session, Resource latch, long count, int round, Throwable fault) {
    if (ZooKeeperFaults.isThere(fault)) {
      return CompletableFuture.completedFuture(false);
    }
    if (ZooKeeperFaults.isMissing(fault) && round < MAX_ROUNDS) {
      return engine
          .paths()
          .make(session, latch)
          .thenCompose(made -> trySet(session, latch, count, round + 1));
    }
    return CompletableFuture.failedFuture(fault);
  }

  /** A key is of one kind: if it is in use as another one, the new latch is deleted again. */
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
   * Counts down. A count that is read may be outdated; the write that follows compares it. But "no
   * count" leads to no write, so it is read once more, in order.
   */
  CompletableFuture<Long> countDown(Session session, Resource latch) {
    return countDown(session, latch, 1)
        .thenCompose(
            left -> {
              if (left >= 0) {
                return CompletableFuture.completedFuture(left);
              }
              CompletableFuture<Boolean> ordered = session.order(engine.paths().of(latch));
              CompletableFuture<Long> again = countDown(session, latch, 1);
              return ordered.thenCombine(again, (done, count) -> count);
            });
  }

  /** Compares and sets. A failure means that another client has counted in between. */
  private CompletableFuture<Long> countDown(Session session, Resource latch, int round) {
    return session
        .read(counter(latch), null)
        .thenCompose(content -> countDownFrom(session, latch, content, round))
        .exceptionallyCompose(ifMissing(-1L));
  }

  private CompletableFuture<Long> countDownFrom(
      Session session, Resource latch, Content content, int round) {
    long left = number(content.text()) - 1;
    int version = content.stat().version();
    CompletableFuture<?> change =
        left > 0
            ? session.write(counter(latch), bytes(left), version)
            : session.all(List.of(Op.delete(counter(latch), version), Op.delete(gate(latch), -1)));
    return change
        .handle((done, fault) -> fault)
        .thenCompose(
            fault -> {
              if (fault == null) {
                return CompletableFuture.completedFuture(left);
              }
              boolean changed =
                  ZooKeeperFaults.isChanged(fault) || ZooKeeperFaults.isMissing(fault);
              return changed && round < MAX_ROUNDS
                  ? countDown(session, latch, round + 1)
                  : CompletableFuture.failedFuture(fault);
            });
  }

  CompletableFuture<Long> count(Session session, Resource latch) {
    CompletableFuture<Boolean> ordered = session.order(engine.paths().of(latch));
    CompletableFuture<Long> count =
        session
            .read(counter(latch), null)
            .thenApply(content -> number(content.text()))
            .exceptionallyCompose(ifMissing(0L));
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
