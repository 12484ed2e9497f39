package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.BackendException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of one owner to acquire; it goes on from wherever the {@link Place} of the owner is.
 *
 * <pre>
 *   place                  requests of the attempt
 *   no node, may wait      create + children, sent together: one round trip; create, if {@link SoleUser}
 *   no node, may not wait  sync + children: leaves no trace if it is not the owner's turn
 *   stands aside           children, and create as above once there are as many permits as it wants
 *   waits, watch quiet     none, unless the lease of a holder should have ended
 *   waits, watch fired     its only predecessor is gone: none
 *                          else:                         children
 *                          the same if the last contact is too old, or it is not a lock:
 *                                                        sync + exists, of the own node
 *                                                        sync + children
 *   its turn               granted, in some cases with a write: see {@link Grant}
 *   not its turn           read the node to watch, and watch it
 * </pre>
 *
 * <p>The attempt is a loop of steps. A method that returns a future is a {@link Step}: it sends
 * requests, and the answers decide on the next step. A method that returns a step only decides.
 *
 * <p>A grant must rest on a request that went through the leader (a create, a write or a sync), and
 * its lease counts from the time at which that request was sent. A server that lost touch with the
 * others would go on answering mere reads. But what such a server says of the line of a lock is
 * true, if perhaps outdated: it has applied nothing that was not decided, so a node that is gone
 * there is gone, and a later node stands behind. So a waiter whose turn comes may rely on a {@link
 * Contact} of a moment ago; its lease is then a little shorter.
 */
final class Attempt {
  private static final int MAX_RESTARTS = 30;

  /** A line as it was read, with the owner's own ticket in it and the verdict on that ticket. */
  record Position(Children children, Line line, Ticket ticket, Verdict verdict) {}

  private final Place place;
  private final AcquireRequest request;
  private final EngineContext engine;
  private final Session session;
  private final Leases leases;
  private final String container;
  private final long startedAt;
  private final Overtakers overtakers;
  private final Waiting waiting;
  private boolean mayCreateNode;
  private int restarts;

  /**
   * An attempt.
   *
   * @param lost runs if the owner holds after this attempt and its node is deleted later
   */
  Attempt(Place place, AcquireRequest request, Leases leases, Runnable lost) {
    this.place = place;
    this.request = request;
    this.engine = place.engine;
    this.session = place.session;
    this.leases = leases;
    this.container = engine.paths().of(place.resource);
    this.startedAt = engine.now();
    this.overtakers = new Overtakers(place);
    this.waiting = new Waiting(this, place, request, leases, lost, startedAt);
    this.mayCreateNode = request.enqueue();
  }

  CompletableFuture<AcquireResult> run() {
    return Step.run(restart());
  }

  /** Chooses the step with which the attempt goes on, from what the place knows. */
  Step<AcquireResult> restart() {
    if (++restarts > MAX_RESTARTS) {
      throw new IllegalStateException("the line changes faster than it can be read");
    }
    if (place.isUncertain()) {
      return this::search;
    }
    if (place.hasSeenItsEnd()) {
      place.nodeGone();
    }
    if (!place.hasNode()) {
      boolean standsAside = place.waiting() != null;
      return !mayCreateNode ? this::peek : standsAside ? this::standAside : this::createNode;
    }
    if (place.mayHaveClaimed()) {
      return this::repeatClaim;
    }
    Place.Wait wait = place.waiting();
    if (wait != null && request.enqueue()) {
      return waiting.resume(wait);
    }
    place.stopWaiting();
    return this::readLine;
  }

  Step<AcquireResult> restartWithoutNode() {
    place.nodeGone();
    return restart();
  }

  private CompletableFuture<Step<AcquireResult>> search() {
    return new Search(place).adopt().thenApply(done -> restart());
  }

  /**
   * An earlier attempt has claimed the lock in its node, but its result came too late for core.
   * Others may have read the claim and wait for its end, so the line does not matter any more.
   */
  private CompletableFuture<Step<AcquireResult>> repeatClaim() {
    return session
        .find(place.path(), null)
        .thenApply(
            own -> {
              if (own.isEmpty()) {
                return restartWithoutNode();
              }
              return own.get().data().declaresHold() ? this::claim : this::readLine;
            });
  }

  private CompletableFuture<Step<AcquireResult>> claim() {
    Verdict turn = Verdict.turn(false, place.isContended());
    return new Grant(place, request, startedAt).claim(turn, null).thenApply(this::grantedOrRead);
  }

  // ---- no node yet

  private CompletableFuture<Step<AcquireResult>> createNode() {
    place.creating(request);
    String prefix = Ticket.prefix(place.resource.kind(), place.claim, place.owner);
    CompletableFuture<Session.Created> create =
        session.create(
            engine.paths().child(place.resource, prefix),
            place.data().bytes(),
            CreateMode.EPHEMERAL_SEQUENTIAL);
    CompletableFuture<Children> line =
        engine.soleUser().isLikely(place) ? null : session.children(container, null);
    return create.handle(
        (created, fault) -> fault == null ? nodeCreated(created, line) : nodeNotCreated(fault));
  }

  private Step<AcquireResult> nodeCreated(
      Session.Created created, @Nullable CompletableFuture<Children> line) {
    engine.written(created.stat());
    place.created(created.name(), created.stat());
    if (line != null) {
      return () -> line.thenApply(this::judgeNewNode);
    }
    int number = place.number();
    if (engine.soleUser().isCertain(place, number)) {
      engine.soleUser().foundAlone(place, number);
      return grant(Verdict.turn(false, false), null, true, startedAt);
    }
    return () -> session.children(container, null).thenApply(this::judgeNewNode);
  }

  private Step<AcquireResult> nodeNotCreated(Throwable fault) {
    if (ZooKeeperFaults.isMissing(fault)) {
      return () -> engine.paths().make(session, place.resource).thenApply(made -> restart());
    }
    if (ZooKeeperFaults.mayPass(fault)) {
      place.createdOrNot();
    }
    return failed(fault);
  }

  /**
   * An attempt that does not wait reads the line before it creates a node, so that a busy lock
   * costs none. A line that looks free is proved free by the node that is then created.
   */
  private CompletableFuture<Step<AcquireResult>> peek() {
    return session
        .syncedChildren(container)
        .thenCompose(children -> createOr(children, verdict -> this::peekAgain));
  }

  /** "Busy" takes a second look, which sees the last releases by way of other servers too. */
  private CompletableFuture<Step<AcquireResult>> peekAgain() {
    return session
        .latestChildren(container)
        .thenCompose(children -> createOr(children, this::busy));
  }

  private CompletableFuture<Step<AcquireResult>> createOr(
      Children children, Function<Verdict, Step<AcquireResult>> ifBusy) {
    Line line = Line.of(place.resource, children.names());
    Verdict verdict = line.judge(newcomer(line), overtakers.names());
    CompletableFuture<Boolean> mayBeTurn =
        verdict.turn()
            ? CompletableFuture.completedFuture(true)
            : leases.mayHaveEnded(place, verdict);
    return mayBeTurn.thenApply(
        create -> {
          mayCreateNode |= create;
          return create ? restart() : ifBusy.apply(verdict);
        });
  }

  private Ticket newcomer(Line line) {
    return Ticket.newcomer(place.resource.kind(), place.claim, place.owner, line.lastSequence());
  }

  // ---- aside: the semaphore has fewer permits than the owner wants

  private CompletableFuture<Step<AcquireResult>> leaveLine() {
    return leave().thenApply(left -> request.enqueue() ? this::standAside : busy());
  }

  /**
   * Waits without a node, because a node would hold up others, and creates one when there are
   * enough permits.
   */
  private CompletableFuture<Step<AcquireResult>> standAside() {
    OneShotWatch watch = place.watchFor(null);
    return session
        .children(container, watch)
        .thenApply(Optional::of)
        .exceptionallyCompose(ZooKeeperFaults.ifMissing(Optional.empty()))
        .thenApply(
            children -> {
              if (children.isPresent() && !isEnoughIn(children.get())) {
                Verdict verdict = Verdict.waitForAny(List.of(), 0);
                place.waitFor(new Place.Wait(verdict, watch, engine.now()));
                return busy();
              }
              place.stopWaiting();
              return this::createNode;
            });
  }

  private boolean isEnoughIn(Children children) {
    Line line = Line.of(place.resource, children.names());
    line.requireOneKind();
    return line.hasEnoughFor(newcomer(line));
  }

  // ---- a node: is it its turn?

  CompletableFuture<Step<AcquireResult>> readLine() {
    return session
        .syncedChildren(container)
        .thenApply(children -> judge(children, false, startedAt));
  }

  private Step<AcquireResult> judgeNewNode(Children children) {
    return judge(children, true, startedAt);
  }

  /**
   * Judges the line.
   *
   * @param fresh true if this attempt created the owner's node
   * @param restsOn a clock reading from before the request was sent on which a grant rests
   */
  Step<AcquireResult> judge(Children children, boolean fresh, long restsOn) {
    return locate(children, position -> decide(position, fresh, restsOn));
  }

  /** Finds the owner's node in the line; leaves the line if its place there is of no use. */
  Step<AcquireResult> locate(Children children, Function<Position, Step<AcquireResult>> next) {
    Line line = Line.of(place.resource, children.names());
    Ticket ticket = line.named(place.name());
    if (ticket == null) {
      return restartWithoutNode(); // deleted by an operator, or because its lease had ended
    }
    Verdict verdict;
    try {
      verdict = line.judge(ticket, overtakers.names());
    } catch (BackendException e) {
      return () -> leave().thenApply(left -> failed(e));
    }
    return line.hasEnoughFor(ticket)
        ? next.apply(new Position(children, line, ticket, verdict))
        : this::leaveLine;
  }

  private Step<AcquireResult> decide(Position position, boolean fresh, long restsOn) {
    Line line = position.line();
    Ticket ticket = position.ticket();
    if (fresh && line.tickets().size() == 1) {
      engine.soleUser().foundAlone(place, ticket.sequence());
    } else {
      engine.soleUser().foundOthers(place);
    }
    if (!position.verdict().turn()) {
      return request.enqueue()
          ? waiting.begin(position.verdict())
          : leaveUnlessOverdue(position.verdict());
    }
    boolean unchanged = fresh && position.children().changedBy() == place.born().createdBy();
    List<Ticket> suspects = unchanged ? List.of() : line.possibleOvertakers(ticket);
    Step<AcquireResult> grant = grant(position.verdict(), position.children(), unchanged, restsOn);
    if (ticket.type() != Ticket.Type.WRITE || suspects.isEmpty() || !overtakers.isEmpty()) {
      return grant;
    }
    return () ->
        overtakers
            .findAmong(suspects)
            .thenApply(found -> found ? judge(position.children(), fresh, restsOn) : grant);
  }

  /** An attempt that does not wait leaves, unless it can end the lease of a holder. */
  private Step<AcquireResult> leaveUnlessOverdue(Verdict verdict) {
    return () ->
        leases
            .endOverdue(place, verdict, true)
            .thenApply(changed -> changed ? this::readLine : this::leaveBusy);
  }

  private CompletableFuture<Step<AcquireResult>> leaveBusy() {
    return leave().thenApply(left -> busy());
  }

  Step<AcquireResult> grant(
      Verdict verdict, @Nullable Children children, boolean unchanged, long restsOn) {
    Grant grant = new Grant(place, request, startedAt, restsOn);
    return () -> grant.make(verdict, children, unchanged).thenApply(this::grantedOrRead);
  }

  /** No result means that the line or the node has changed since it was judged. */
  private Step<AcquireResult> grantedOrRead(@Nullable AcquireResult result) {
    if (result != null) {
      return new Step.Result<>(result);
    }
    overtakers.clear();
    return place.hasNode() && !place.hasSeenItsEnd() ? this::readLine : restart();
  }

  // ---- ends

  private CompletableFuture<Boolean> leave() {
    return session
        .deleteIfThere(place.path())
        .thenApply(
            wasThere -> {
              place.nodeGone();
              return wasThere;
            });
  }

  private static Step<AcquireResult> busy() {
    return new Step.Result<>(new AcquireResult.Busy(-1));
  }

  Step<AcquireResult> busy(Verdict verdict) {
    return new Step.Result<>(new AcquireResult.Busy(leases.millisToNextEnd(place, verdict)));
  }

  private static Step<AcquireResult> failed(Throwable fault) {
    return () -> CompletableFuture.failedFuture(fault);
  }
}
