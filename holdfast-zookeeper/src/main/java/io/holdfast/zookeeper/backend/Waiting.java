package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an {@link Attempt} while it is not the owner's turn: they choose what to watch, end
 * overdue leases of holders, and notice when the turn comes. They lead back to the attempt as soon
 * as the line must be read again.
 */
final class Waiting {
  private static final long MIN_PATIENCE_NANOS = 2_000_000_000L;
  private static final long PATIENCE_NANOS_PER_PREDECESSOR = 250_000_000L;
  private static final long MAX_PATIENCE_NANOS = 30_000_000_000L;

  private final Attempt attempt;
  private final Place place;
  private final AcquireRequest request;
  private final EngineContext engine;
  private final Session session;
  private final Leases leases;
  private final Runnable lost;
  private final String container;
  private final long startedAt;

  /** It has waited for long, or has passed one over: the next holder may be dead, too. */
  private boolean inVain;

  Waiting(
      Attempt attempt,
      Place place,
      AcquireRequest request,
      Leases leases,
      Runnable lost,
      long startedAt) {
    this.attempt = attempt;
    this.place = place;
    this.request = request;
    this.engine = place.engine;
    this.session = place.session;
    this.leases = leases;
    this.lost = lost;
    this.container = engine.paths().of(place.resource);
    this.startedAt = startedAt;
  }

  /** Begins to wait: the owner has a node, and it is not its turn. */
  Step<AcquireResult> begin(Verdict verdict) {
    return verdict.watched() == null ? this::watchLine : watchNode(verdict, verdict.watched());
  }

  private Step<AcquireResult> watchNode(Verdict verdict, Ticket watched) {
    return () -> {
      if (isNext(verdict) && !place.isWatchingSelf()) {
        watchSelf(); // answered before the request that follows
      }
      OneShotWatch watch = place.watchFor(watched);
      return session
          .find(place.pathOf(watched), watch)
          .thenApply(
              content ->
                  content.isEmpty()
                      ? attempt::readLine
                      : watchedNodeRead(verdict, watched, content.get(), watch));
    };
  }

  /** A watch for children, because a write of the node does not use it up. */
  private void watchSelf() {
    OneShotWatch watch = place.watchForSelf(lost);
    session.children(place.path(), watch).thenAccept(there -> place.watchesSelf(watch));
  }

  private Step<AcquireResult> watchedNodeRead(
      Verdict verdict, Ticket watched, Content content, OneShotWatch watch) {
    boolean holds = verdict.holders().contains(watched);
    if (holds) {
      engine.book().note(place.pathOf(watched), content, engine.now());
    } else if (content.data().declaresHold() && place.resource.kind() == Resource.Kind.SEMAPHORE) {
      return this::watchLine; // every predecessor holds: the limit was lowered
    }
    return keepWaiting(verdict, watch);
  }

  private CompletableFuture<Step<AcquireResult>> watchLine() {
    OneShotWatch watch = place.watchFor(null);
    return session
        .children(container, watch)
        .thenApply(
            children ->
                attempt.locate(
                    children,
                    position ->
                        position.verdict().turn()
                            ? attempt::readLine
                            : keepWaiting(position.verdict(), watch)));
  }

  private Step<AcquireResult> keepWaiting(Verdict verdict, OneShotWatch watch) {
    place.waitFor(new Place.Wait(verdict, watch, engine.now()));
    return endOverdueOrWait(verdict, inVain);
  }

  private Step<AcquireResult> endOverdueOrWait(Verdict verdict, boolean unknownToo) {
    return () ->
        leases
            .endOverdue(place, verdict, unknownToo)
            .thenApply(
                changed -> {
                  if (!changed) {
                    return attempt.busy(verdict);
                  }
                  inVain = true;
                  place.stopWaiting();
                  return attempt.restart();
                });
  }

  /** Goes on with the wait that an earlier attempt began. */
  Step<AcquireResult> resume(Place.Wait wait) {
    if (wait.watch().hasFired()) {
      place.stopWaiting();
      return watchFired(wait);
    }
    Verdict verdict = wait.verdict();
    long patience =
        Math.min(
            MAX_PATIENCE_NANOS,
            MIN_PATIENCE_NANOS + PATIENCE_NANOS_PER_PREDECESSOR * verdict.before());
    if (startedAt - wait.lookedAt() > patience) {
      inVain = true;
      return attempt::readLine;
    }
    Step<AcquireResult> waitOn = endOverdueOrWait(verdict, true);
    return request.note().equals(place.data().note()) ? waitOn : writeNote(waitOn);
  }

  private Step<AcquireResult> writeNote(Step<AcquireResult> next) {
    NodeData data = place.data().waiting(request.note());
    return () -> place.write(data).thenApply(written -> next);
  }

  private Step<AcquireResult> watchFired(Place.Wait wait) {
    Verdict verdict = wait.verdict();
    Ticket watched = verdict.watched();
    if (watched == null || !isLock()) {
      return attempt::readLine;
    }
    if (!wait.watch().sawDeletion()) {
      return watchNode(verdict, watched); // its owner has renewed the lease
    }
    return predecessorGone(isNext(verdict));
  }

  private boolean isLock() {
    return place.resource.kind() == Resource.Kind.LOCK;
  }

  /** True if it will be the owner's turn when the node that it watches is gone. */
  private boolean isNext(Verdict verdict) {
    return isLock() && verdict.watched() != null && verdict.before() == 1;
  }

  /**
   * The watched predecessor is gone.
   *
   * @param only true if it was the only predecessor
   */
  private Step<AcquireResult> predecessorGone(boolean only) {
    Long contact = recentContact();
    if (contact == null) {
      return only ? this::confirmOwnNode : attempt::readLine;
    }
    if (!only) {
      return () ->
          session
              .childrenOrNone(container)
              .thenApply(children -> attempt.judge(children, false, contact));
    }
    return place.isWatchingSelf()
        ? attempt.grant(Verdict.turn(false, false), null, false, contact)
        : this::confirmOwnNode;
  }

  /** The last contact, if a lease that counts from it lasts at least three quarters as long. */
  private @Nullable Long recentContact() {
    Long contact = session.contact().sentAt();
    if (contact == null) {
      return null;
    }
    long most = place.most(request.leaseMillis());
    return Grant.left(place, request, startedAt, contact) >= most - most / 4 ? contact : null;
  }

  /** The only predecessor is gone, so it is the owner's turn if its own node is still there. */
  private CompletableFuture<Step<AcquireResult>> confirmOwnNode() {
    CompletableFuture<Boolean> sync = session.sync(container);
    return sync.thenCombine(
        session.exists(place.path()),
        (synced, exists) ->
            exists
                ? attempt.grant(Verdict.turn(false, false), null, false, startedAt)
                : attempt.restartWithoutNode());
  }
}
