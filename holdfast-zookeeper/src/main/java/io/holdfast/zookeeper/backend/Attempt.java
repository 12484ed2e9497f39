package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of one owner: goes on from wherever its {@link Place} is.
 *
 * <pre>
 *   no node, waits     create + children, sent together: one round trip; create, if {@link SoleUser}
 *   no node, does not  sync + children: leaves no trace if it is not its turn
 *   stands aside       children, and create as above once there are as many permits as it wants
 *   waits, watch quiet nothing, unless a lease should be over
 *   waits, watch fired the only one before it is gone:  nothing
 *                      else                             children
 *                      the same if the last contact is too old, or it is not a lock:
 *                                                       sync + exists, of the own node
 *                                                       sync + children
 *   its turn           granted, in some cases with a write: see {@link Grant}
 *   not its turn       read what to watch, and watch it
 * </pre>
 *
 * <p>A grant must rest on something that went through the leader, and its lease is counted from the
 * time at which that was sent: a create, a write or a sync. A server that lost touch with the
 * others would go on answering mere reads. But what such a server says of the line of a lock is
 * true, if perhaps not the latest: it has carried out nothing that was not decided, so whoever is
 * gone there is gone, and whoever comes later stands behind. So a waiter whose turn comes may rely
 * on a {@link Contact} of a moment ago, and has then a little less of its lease.
 */
final class Attempt {
  private static final int MOST_ROUNDS = 30;
  private static final long LEAST_PATIENCE = 2_000_000_000L;
  private static final long PATIENCE_PER_PLACE = 250_000_000L;
  private static final long MOST_PATIENCE = 30_000_000_000L;

  private final Place place;
  private final AcquireRequest request;
  private final EngineContext parts;
  private final Leases leases;
  private final Runnable lost;
  private final String container;
  private final long startedAt;
  private final Set<String> overtakers = new HashSet<>();
  private boolean comesIn;
  private boolean inVain; // it has waited for long, or passed one over: the next may be dead, too
  private int rounds;

  /**
   * An attempt.
   *
   * @param lost what to do if it holds at last and its node goes
   */
  Attempt(Place place, AcquireRequest request, Leases leases, Runnable lost) {
    this.place = place;
    this.request = request;
    this.parts = place.parts;
    this.leases = leases;
    this.lost = lost;
    this.container = parts.paths().of(place.resource);
    this.startedAt = parts.now();
    this.comesIn = request.enqueue();
  }

  CompletableFuture<AcquireResult> step() {
    if (++rounds > MOST_ROUNDS) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the line changes faster than it can be read"));
    }
    if (place.isUncertain()) {
      return new Search(place).adopt().thenCompose(found -> step());
    }
    if (place.hasSeenItsEnd()) {
      place.nodeGone();
    }
    if (!place.hasNode()) {
      boolean stoodAside = place.waiting() != null;
      return !comesIn ? peek() : stoodAside ? standAside() : comeIn();
    }
    if (place.mayHaveClaimed()) {
      return claimAnew();
    }
    Place.Wait wait = place.waiting();
    return wait == null ? lookAgain() : goOnWaiting(wait);
  }

  /**
   * It has said before that it holds, and core has not heard of it in time. Others may have seen it
   * and wait for it, so the line does not matter any more.
   */
  private CompletableFuture<AcquireResult> claimAnew() {
    return place
        .session
        .read(place.path(), null)
        .handle(
            (own, fault) -> {
              if (ZooKeeperFaults.isMissing(fault)) {
                place.nodeGone();
                return step();
              }
              if (fault != null) {
                return CompletableFuture.<AcquireResult>failedFuture(fault);
              }
              return own.stored().says(NodeData.State.CLAIMED, NodeData.State.HELD)
                  ? orStep(
                      new Grant(place, request, startedAt)
                          .claim(Verdict.turn(false, place.isContended()), null))
                  : lookAgain();
            })
        .thenCompose(next -> next);
  }

  // ---- coming in

  private CompletableFuture<AcquireResult> comeIn() {
    place.creating(request);
    String prefix =
        parts
            .paths()
            .child(place.resource, Ticket.prefix(place.resource.kind(), place.claim, place.owner));
    CompletableFuture<Session.Created> create =
        place.session.create(prefix, place.stored().bytes(), CreateMode.EPHEMERAL_SEQUENTIAL);
    CompletableFuture<Children> together =
        parts.alone().isLikely(place) ? null : place.session.children(container, null);
    return create
        .handle(
            (created, fault) -> {
              if (fault == null) {
                parts.written(created.stat());
                place.created(nameOf(created.path()), created.stat());
                return cameIn(together);
              }
              if (ZooKeeperFaults.isMissing(fault)) {
                return parts.paths().make(place.session, place.resource).thenCompose(m -> step());
              }
              if (ZooKeeperFaults.mayPass(fault)) {
                place.createdOrNot();
              }
              return CompletableFuture.<AcquireResult>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  private CompletableFuture<AcquireResult> cameIn(@Nullable CompletableFuture<Children> together) {
    int number = place.number();
    if (together == null && parts.alone().isCertain(place, number)) {
      parts.alone().found(place, number);
      return grant(Verdict.turn(false, false), null, true, startedAt);
    }
    CompletableFuture<Children> children =
        together == null ? place.session.children(container, null) : together;
    return children.thenCompose(line -> judge(line, true, startedAt));
  }

  private static String nameOf(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /**
   * Looks before it comes in, so that a lock that is busy costs no node. That it is free will be
   * seen when it has come in; that it is busy is said only after another look, which sees what was
   * released just now by way of another server.
   */
  private CompletableFuture<AcquireResult> peek() {
    return peek(place.session.syncedChildren(container), false);
  }

  private CompletableFuture<AcquireResult> peek(CompletableFuture<Children> look, boolean last) {
    return look.thenCompose(
        children -> {
          Line line = Line.of(place.resource, children.names());
          Ticket me =
              Ticket.newcomer(place.resource.kind(), place.claim, place.owner, line.lastSequence());
          Verdict verdict = line.judge(me, overtakers);
          if (verdict.turn()) {
            comesIn = true;
            return step();
          }
          return leases
              .mayBeOver(place, verdict)
              .thenCompose(
                  over -> {
                    if (over) {
                      comesIn = true;
                      return step();
                    }
                    return last
                        ? CompletableFuture.completedFuture(busy(verdict))
                        : peek(place.session.latestChildren(container), true);
                  });
        });
  }

  // ---- looking

  private CompletableFuture<AcquireResult> lookAgain() {
    return place
        .session
        .syncedChildren(container)
        .thenCompose(children -> judge(children, false, startedAt));
  }

  /**
   * Judges the line.
   *
   * @param fresh true if the own node was created in this attempt
   * @param restsOn a clock reading from before the request was sent on which a grant rests
   */
  private CompletableFuture<AcquireResult> judge(Children children, boolean fresh, long restsOn) {
    Line line = Line.of(place.resource, children.names());
    Ticket me = line.named(place.name());
    if (me == null) {
      place.nodeGone(); // by hand, or because its lease was over
      return step();
    }
    Verdict verdict;
    try {
      verdict = line.judge(me, overtakers);
    } catch (BackendException e) {
      return leave().thenCompose(left -> CompletableFuture.failedFuture(e));
    }
    if (!line.hasEnoughFor(me)) {
      return leaveLine();
    }
    if (fresh && line.tickets().size() == 1) {
      parts.alone().found(place, me.sequence());
    } else {
      parts.alone().foundOthers(place);
    }
    if (!verdict.turn()) {
      return comesToWait(verdict);
    }
    boolean nothingSince = fresh && children.changedBy() == place.born().createdBy();
    List<Ticket> suspects = nothingSince ? List.of() : line.possibleOvertakers(me);
    if (me.type() == Ticket.Type.WRITE && overtakers.isEmpty() && !suspects.isEmpty()) {
      return findOvertakers(suspects)
          .thenCompose(
              found ->
                  found
                      ? judge(children, fresh, restsOn)
                      : grant(verdict, children, nothingSince, restsOn));
    }
    return grant(verdict, children, nothingSince, restsOn);
  }

  private CompletableFuture<Boolean> findOvertakers(List<Ticket> suspects) {
    List<CompletableFuture<?>> reads = new ArrayList<>();
    for (Ticket suspect : suspects) {
      reads.add(
          place
              .session
              .read(parts.paths().child(place.resource, suspect.name()), null)
              .handle(
                  (content, fault) -> {
                    if (fault == null
                        && content.stored().says(NodeData.State.CLAIMED, NodeData.State.HELD)) {
                      overtakers.add(suspect.name());
                    } else if (fault != null && !ZooKeeperFaults.isMissing(fault)) {
                      overtakers.add(suspect.name()); // rather wait than guess
                    }
                    return true;
                  }));
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
        .thenApply(all -> !overtakers.isEmpty());
  }

  private CompletableFuture<AcquireResult> grant(
      Verdict verdict, @Nullable Children children, boolean nothingSince, long restsOn) {
    return orStep(
        new Grant(place, request, startedAt, restsOn).make(verdict, children, nothingSince));
  }

  /** If there is no result the line or the node has changed meanwhile. */
  private CompletableFuture<AcquireResult> orStep(
      CompletableFuture<@Nullable AcquireResult> grant) {
    return grant.thenCompose(
        result -> {
          if (result != null) {
            return CompletableFuture.completedFuture(result);
          }
          overtakers.clear();
          return lookAgainOrStep();
        });
  }

  private CompletableFuture<AcquireResult> lookAgainOrStep() {
    return place.hasNode() && !place.hasSeenItsEnd() ? lookAgain() : step();
  }

  // ---- waiting

  private CompletableFuture<AcquireResult> comesToWait(Verdict verdict) {
    if (!request.enqueue()) {
      return leases
          .endOverdue(place, verdict, true)
          .thenCompose(
              changed ->
                  changed ? lookAgain() : leave().thenApply(left -> new AcquireResult.Busy(-1)));
    }
    return verdict.watched() == null ? watchLine() : watchNode(verdict, verdict.watched());
  }

  private CompletableFuture<AcquireResult> watchNode(Verdict verdict, Ticket watched) {
    if (isNext(verdict) && !place.isWatchingSelf()) {
      watchSelf(); // answered before what is asked next
    }
    OneShotWatch watch = place.watchFor(watched);
    String path = parts.paths().child(place.resource, watched.name());
    return place
        .session
        .read(path, watch)
        .handle(
            (content, fault) -> {
              if (ZooKeeperFaults.isMissing(fault)) {
                return lookAgain();
              }
              if (fault != null) {
                return CompletableFuture.<AcquireResult>failedFuture(fault);
              }
              boolean holds = verdict.holders().contains(watched);
              if (holds) {
                parts.book().note(path, content, parts.now());
              }
              boolean said = content.stored().says(NodeData.State.CLAIMED, NodeData.State.HELD);
              if (said && !holds && place.resource.kind() == Resource.Kind.SEMAPHORE) {
                return watchLine(); // everyone before holds: the limit was lowered
              }
              return settle(verdict, watch);
            })
        .thenCompose(next -> next);
  }

  /** True if it will be this one's turn when the one that it watches has gone. */
  private boolean isNext(Verdict verdict) {
    return isWatchingOne(verdict) && verdict.before() == 1;
  }

  private boolean isWatchingOne(Verdict verdict) {
    return place.resource.kind() == Resource.Kind.LOCK && verdict.watched() != null;
  }

  /** A watch of children, because writes do not use it up. */
  private void watchSelf() {
    OneShotWatch watch = place.watchForSelf(lost);
    place.session.children(place.path(), watch).thenAccept(there -> place.watchesSelf(watch));
  }

  private CompletableFuture<AcquireResult> watchLine() {
    OneShotWatch watch = place.watchFor(null);
    return place
        .session
        .children(container, watch)
        .thenCompose(
            children -> {
              Line line = Line.of(place.resource, children.names());
              Ticket me = line.named(place.name());
              if (me == null) {
                place.nodeGone();
                return step();
              }
              Verdict verdict;
              try {
                verdict = line.judge(me, overtakers);
              } catch (BackendException e) {
                return leave().thenCompose(left -> CompletableFuture.failedFuture(e));
              }
              if (!line.hasEnoughFor(me)) {
                return leaveLine();
              }
              return verdict.turn() ? lookAgain() : settle(verdict, watch);
            });
  }

  // ---- aside: there are fewer permits than it wants

  private CompletableFuture<AcquireResult> leaveLine() {
    return leave()
        .thenCompose(
            left ->
                request.enqueue()
                    ? standAside()
                    : CompletableFuture.completedFuture(new AcquireResult.Busy(-1)));
  }

  /** Waits without a node, which would hold up others, and comes in when there are enough. */
  private CompletableFuture<AcquireResult> standAside() {
    OneShotWatch watch = place.watchFor(null);
    return place
        .session
        .children(container, watch)
        .handle(
            (children, fault) -> {
              if (fault != null && !ZooKeeperFaults.isMissing(fault)) {
                return CompletableFuture.<AcquireResult>failedFuture(fault);
              }
              Line line = Line.of(place.resource, fault == null ? children.names() : List.of());
              line.requireOneKind();
              Ticket me =
                  Ticket.newcomer(
                      place.resource.kind(), place.claim, place.owner, line.lastSequence());
              if (fault != null || line.hasEnoughFor(me)) {
                place.stopWaiting();
                return comeIn();
              }
              place.waitFor(new Place.Wait(Verdict.waitForAny(List.of(), 0), watch, parts.now()));
              return CompletableFuture.<AcquireResult>completedFuture(new AcquireResult.Busy(-1));
            })
        .thenCompose(next -> next);
  }

  private CompletableFuture<AcquireResult> settle(Verdict verdict, OneShotWatch watch) {
    place.waitFor(new Place.Wait(verdict, watch, parts.now()));
    return endOverdueOrWait(verdict, inVain);
  }

  private CompletableFuture<AcquireResult> endOverdueOrWait(Verdict verdict, boolean unknownToo) {
    return leases
        .endOverdue(place, verdict, unknownToo)
        .thenCompose(
            changed -> {
              if (changed) {
                inVain = true;
                place.stopWaiting();
                return step();
              }
              return CompletableFuture.completedFuture(busy(verdict));
            });
  }

  private AcquireResult busy(Verdict verdict) {
    return new AcquireResult.Busy(leases.millisToNextEnd(place, verdict));
  }

  private CompletableFuture<AcquireResult> goOnWaiting(Place.Wait wait) {
    Verdict verdict = wait.verdict();
    Ticket watched = verdict.watched();
    if (!request.enqueue()) {
      place.stopWaiting();
      return lookAgain(); // the last try of one that waited
    }
    if (wait.watch().hasFired()) {
      place.stopWaiting();
      if (watched == null || !isWatchingOne(verdict)) {
        return lookAgain();
      }
      if (!wait.watch().sawDeletion()) {
        return watchNode(verdict, watched); // it renewed its lease
      }
      return oneHasGone(isNext(verdict));
    }
    long patience = Math.min(MOST_PATIENCE, LEAST_PATIENCE + PATIENCE_PER_PLACE * verdict.before());
    if (startedAt - wait.lookedAt() > patience) {
      inVain = true;
      return lookAgain();
    }
    if (!request.note().equals(place.stored().note())) {
      return tellNote().thenCompose(done -> endOverdueOrWait(verdict, true));
    }
    return endOverdueOrWait(verdict, true);
  }

  private CompletableFuture<?> tellNote() {
    NodeData now = place.stored().waiting(request.note());
    long sentAt = parts.now();
    return place
        .session
        .write(place.path(), now.bytes(), -1)
        .thenAccept(
            stat -> {
              parts.written(stat);
              place.written(now, sentAt);
            });
  }

  /**
   * The one before has gone.
   *
   * @param next true if it was the only one
   */
  private CompletableFuture<AcquireResult> oneHasGone(boolean next) {
    Long contact = recentContact();
    if (contact == null) {
      return next ? confirm() : lookAgain();
    }
    if (!next) {
      return place
          .session
          .childrenOrNone(container)
          .thenCompose(children -> judge(children, false, contact));
    }
    return place.isWatchingSelf()
        ? grant(Verdict.turn(false, false), null, false, contact)
        : confirm();
  }

  /** The last contact, if it leaves at least three quarters of the lease. */
  private @Nullable Long recentContact() {
    Long contact = place.session.contact().sentAt();
    if (contact == null) {
      return null;
    }
    long most = place.most(request.leaseMillis());
    return Grant.left(place, request, startedAt, contact) >= most - most / 4 ? contact : null;
  }

  /** The only one before has gone, so it is this one's turn if its own node is still there. */
  private CompletableFuture<AcquireResult> confirm() {
    CompletableFuture<Boolean> sync = place.session.sync(container);
    CompletableFuture<NodeStat> own = place.session.stat(place.path(), null);
    return sync.thenCombine(own, (synced, stat) -> stat)
        .handle(
            (stat, fault) -> {
              if (fault == null) {
                return grant(Verdict.turn(false, false), null, false, startedAt);
              }
              if (ZooKeeperFaults.isMissing(fault)) {
                place.nodeGone();
                return step();
              }
              return CompletableFuture.<AcquireResult>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  private CompletableFuture<Boolean> leave() {
    return place
        .session
        .delete(place.path(), -1)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(fault))
        .thenApply(
            left -> {
              place.nodeGone();
              return left;
            });
  }
}
