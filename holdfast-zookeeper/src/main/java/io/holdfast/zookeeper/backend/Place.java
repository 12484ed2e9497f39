package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of one owner in a line, for the length of one session: its node, if it has one, and
 * what this process knows about it. Operations on a place run one after the other, because an
 * attempt whose caller has stopped waiting may still be under way when the next attempt, or the
 * release, begins.
 *
 * <pre>
 *   no node --create--> node --(its turn)--> granted --release--> no node
 *      ^                  |
 *      |   create unanswered: uncertain, to be searched for by the name of the owner
 *      +---- deleted by another client, or never created
 * </pre>
 */
final class Place {
  /**
   * A wait that goes on until the watch fires.
   *
   * @param verdict the verdict on the line when it was read last
   * @param watch the watch that ends the wait
   * @param lookedAt when the line was read
   */
  record Wait(Verdict verdict, OneShotWatch watch, long lookedAt) {}

  final EngineContext engine;
  final Session session;
  final Resource resource;
  final Owner owner;
  final Claim claim;

  /** The number of unfinished attempts; guarded by the map of {@link Places}. */
  int attempts;

  private final SerialQueue operations = new SerialQueue();

  // Written by the operation that runs; volatile if other threads read it.
  private volatile @Nullable String name;
  private volatile boolean granted;
  private volatile boolean contended;
  private volatile boolean givenUp;
  private volatile @Nullable Wait wait;
  private volatile @Nullable OneShotWatch self;
  private @Nullable NodeStat born;
  private NodeData data;
  private @Nullable String part;
  private volatile boolean uncertain;
  private boolean waited;
  private boolean claimed;
  private long leaseFrom;
  private long grant;
  private long grantedAt;

  Place(EngineContext engine, Session session, AcquireRequest request, boolean uncertain) {
    this.engine = engine;
    this.session = session;
    this.resource = request.resource();
    this.owner = request.owner();
    this.claim = request.claim();
    this.uncertain = uncertain;
    this.data = dataOf(request);
  }

  private NodeData dataOf(AcquireRequest request) {
    long lease = isBySession(request.leaseMillis()) ? 0 : request.leaseMillis();
    return NodeData.of(engine.context().identity(), request.thread(), lease, request.note());
  }

  /** Runs an operation on this place after all operations that were begun before. */
  <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> operation) {
    return operations.add(operation);
  }

  // ---- the lease

  /** See {@link Session#leaseMillis}. */
  long sessionLease() {
    return session.leaseMillis();
  }

  /** True if a lease of this length lasts as long as the session. */
  boolean isBySession(long leaseMillis) {
    return leaseMillis >= sessionLease();
  }

  /** The longest lease that can be promised if this one is requested. */
  long most(long leaseMillis) {
    return Math.min(leaseMillis, sessionLease());
  }

  /** The lease that can be promised if it rests on a request that was sent at this time. */
  long promise(long leaseMillis, long restsOn) {
    return Math.min(leaseMillis, session.leaseMillis(restsOn));
  }

  /** The fault if {@link Session#isTooSilent}; another try a moment later succeeds. */
  static TimeoutException silent() {
    return new TimeoutException(
        "the servers may not have had a sign of life of this session for too long");
  }

  /** A clock reading before the last write of the node. */
  long leaseFrom() {
    return leaseFrom;
  }

  // ---- the node

  boolean hasNode() {
    return name != null;
  }

  String name() {
    String known = name;
    if (known == null) {
      throw new IllegalStateException("no node");
    }
    return known;
  }

  /** The sequence number that the server gave the node. */
  int number() {
    Ticket ticket = Ticket.parse(name());
    if (ticket == null) {
      throw new IllegalStateException("not the name of a ticket: " + name());
    }
    return ticket.sequence();
  }

  /** For threads that look while an operation runs. */
  String nameOrEmpty() {
    String known = name;
    return known == null ? "" : known;
  }

  String path() {
    return engine.paths().child(resource, name());
  }

  /** The path of another node in the same line. */
  String pathOf(Ticket ticket) {
    return engine.paths().child(resource, ticket.name());
  }

  NodeStat born() {
    NodeStat known = born;
    if (known == null) {
      throw new IllegalStateException("no node");
    }
    return known;
  }

  NodeData data() {
    return data;
  }

  /** The node that marks a partial release, if there was one. */
  @Nullable String part() {
    return part;
  }

  /** Deletes the node that marks a partial release; no answer is needed. */
  void deletePart() {
    String marker = part;
    if (marker != null) {
      session.delete(engine.paths().child(resource, marker), -1);
    }
  }

  boolean isUncertain() {
    return uncertain;
  }

  void creating(AcquireRequest request) {
    data = dataOf(request);
    leaseFrom = engine.now();
  }

  /** The create was not answered: a {@link Search} will tell whether there is a node. */
  void createdOrNot() {
    uncertain = true;
  }

  void searched() {
    uncertain = false;
  }

  void created(String nodeName, NodeStat stat) {
    name = nodeName;
    born = stat;
    uncertain = false;
  }

  /** Writes the node whatever its version. */
  CompletableFuture<NodeStat> write(NodeData next) {
    long sentAt = engine.now();
    return session.write(path(), next.bytes(), -1).thenApply(stat -> written(next, sentAt, stat));
  }

  /** The node was written by a request that was sent at this time. */
  NodeStat written(NodeData next, long sentAt, NodeStat stat) {
    written(next, sentAt);
    return engine.written(stat);
  }

  void written(NodeData next, long sentAt) {
    data = next;
    leaseFrom = sentAt;
  }

  void reduced(String marker) {
    part = marker;
  }

  /** The node does not exist any more. */
  void nodeGone() {
    name = null;
    born = null;
    wait = null;
    self = null;
    granted = false;
    waited = false;
    claimed = false;
  }

  /** Asks the server whether the owner still holds. */
  CompletableFuture<Boolean> isThere() {
    return granted && hasNode() ? session.exists(path()) : CompletableFuture.completedFuture(false);
  }

  // ---- waiting and holding

  @Nullable Wait waiting() {
    return wait;
  }

  void waitFor(Wait next) {
    wait = next;
    waited = true;
  }

  void stopWaiting() {
    wait = null;
  }

  /** True if the owner has waited since the node was created. */
  boolean hasWaited() {
    return waited;
  }

  /** The owner is about to claim the lock in its node. */
  void claiming() {
    claimed = true;
  }

  void claimFailed() {
    claimed = false;
  }

  /** True if the owner has claimed the lock in its node, or the answer to the claim was lost. */
  boolean mayHaveClaimed() {
    return claimed;
  }

  /**
   * The owner holds from now on.
   *
   * @return false if the end of its node has been seen; a later end is reported as a loss
   */
  synchronized boolean granted(long transaction, long serverMillis, boolean isContended) {
    if (hasSeenItsEnd()) {
      return false;
    }
    wait = null;
    grant = transaction;
    grantedAt = serverMillis;
    contended = isContended;
    granted = true;
    return true;
  }

  boolean isGranted() {
    return granted;
  }

  long grant() {
    return grant;
  }

  long grantedAt() {
    return grantedAt;
  }

  boolean isContended() {
    return contended;
  }

  void contended() {
    contended = true;
  }

  void giveUp() {
    givenUp = true;
  }

  boolean isGivenUp() {
    return givenUp;
  }

  /**
   * A watch for the end of the owner's own node. A waiter lines up again then.
   *
   * @param lost runs if the owner holds when its node ends
   */
  OneShotWatch watchForSelf(Runnable lost) {
    return new OneShotWatch(watch -> ownNodeGone(lost));
  }

  private void ownNodeGone(Runnable lost) {
    boolean held;
    synchronized (this) {
      held = granted;
    }
    if (held) {
      lost.run();
    } else if (!givenUp) {
      engine.context().signals().changed(owner);
    }
  }

  /** The server has registered this watch of the owner's node, and the node was there. */
  void watchesSelf(OneShotWatch watch) {
    self = watch;
  }

  /**
   * True if the own node is watched: its end would have been seen before any later answer or event
   * on the same connection.
   */
  boolean isWatchingSelf() {
    OneShotWatch watch = self;
    return watch != null && !watch.hasFired();
  }

  /** True if the watch of the own node has seen its end. */
  boolean hasSeenItsEnd() {
    OneShotWatch watch = self;
    return watch != null && watch.hasFired();
  }

  /**
   * A watch of a node or, if null, of the whole line. The present watch is used again if it watches
   * the same. The event of a watch is passed on to core unless another watch has replaced it.
   */
  OneShotWatch watchFor(@Nullable Ticket ticket) {
    Wait present = wait;
    boolean same =
        present != null
            && !present.watch().hasFired()
            && Objects.equals(present.verdict().watched(), ticket);
    return present != null && same ? present.watch() : new OneShotWatch(this::watchFired);
  }

  private void watchFired(OneShotWatch watch) {
    Wait current = wait;
    if (current == null || current.watch() == watch) {
      engine.context().signals().changed(owner);
    }
  }
}
