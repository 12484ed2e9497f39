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
 * what this process knows about it. What is done with it happens in turn, one thing after the
 * other: an attempt whose caller has stopped waiting may still be under way when the next one, or
 * the release, comes.
 *
 * <pre>
 *   no node --create--> node --(its turn)--> granted --release--> no node
 *      ^                  |
 *      |   no answer to the create: uncertain, has to be searched for by the name of the owner
 *      +---- deleted by somebody else, or never created
 * </pre>
 */
final class Place {
  /**
   * A wait that goes on until the watch fires.
   *
   * @param verdict what was seen
   * @param watch what is watched
   * @param lookedAt when the line was read
   */
  record Wait(Verdict verdict, OneShotWatch watch, long lookedAt) {}

  final EngineContext parts;
  final Session session;
  final Resource resource;
  final Owner owner;
  final Claim claim;

  /** How many are under way or wait for their turn; guarded by the map of {@link Places}. */
  int attempts;

  // Changed in turn only; volatile where others look.
  private volatile @Nullable String name;
  private volatile boolean granted;
  private volatile boolean contended;
  private volatile boolean givenUp;
  private volatile @Nullable Wait wait;
  private volatile @Nullable OneShotWatch self;
  private @Nullable NodeStat born;
  private NodeData stored;
  private @Nullable String part;
  private volatile boolean uncertain;
  private boolean waited;
  private boolean claimed;
  private long leaseFrom;
  private long grant;
  private long grantedAt;

  /** Guarded by this. */
  private CompletableFuture<?> lastTurn = CompletableFuture.completedFuture(null);

  Place(EngineContext parts, Session session, AcquireRequest request, boolean uncertain) {
    this.parts = parts;
    this.session = session;
    this.resource = request.resource();
    this.owner = request.owner();
    this.claim = request.claim();
    this.uncertain = uncertain;
    this.stored = stored(request);
  }

  private NodeData stored(AcquireRequest request) {
    long lease = isBySession(request.leaseMillis()) ? 0 : request.leaseMillis();
    return NodeData.of(parts.context().identity(), request.thread(), lease, request.note());
  }

  /** Does something after everything that was begun before is finished. */
  <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> turn = new CompletableFuture<>();
    CompletableFuture<?> before;
    synchronized (this) {
      before = lastTurn;
      lastTurn = turn;
    }
    before
        .handle((done, fault) -> true)
        .thenCompose(free -> work.get())
        .whenComplete(
            (value, fault) -> {
              if (fault != null) {
                turn.completeExceptionally(fault);
              } else {
                turn.complete(value);
              }
            });
    return turn;
  }

  // ---- the lease

  /** See {@link Session#leaseMillis}. */
  long sessionLease() {
    return session.leaseMillis();
  }

  /** True if a lease of this length is kept by the session alone. */
  boolean isBySession(long leaseMillis) {
    return leaseMillis >= sessionLease();
  }

  /** What can be promised at best. */
  long most(long leaseMillis) {
    return Math.min(leaseMillis, sessionLease());
  }

  /** What can be promised of a lease that rests on a request that was sent at this time. */
  long promise(long leaseMillis, long restsOn) {
    return Math.min(leaseMillis, session.leaseMillis(restsOn));
  }

  /** For whoever finds {@link Session#isTooSilent}: it will be different in a moment. */
  static TimeoutException silent() {
    return new TimeoutException("the servers may not have heard of this session for long");
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

  /** The number that the server gave the node. */
  int number() {
    Ticket ticket = Ticket.parse(name());
    if (ticket == null) {
      throw new IllegalStateException("not the name of a place: " + name());
    }
    return ticket.sequence();
  }

  /** For those who look while things are going on. */
  String nameOrEmpty() {
    String known = name;
    return known == null ? "" : known;
  }

  String path() {
    return parts.paths().child(resource, name());
  }

  NodeStat born() {
    NodeStat known = born;
    if (known == null) {
      throw new IllegalStateException("no node");
    }
    return known;
  }

  NodeData stored() {
    return stored;
  }

  @Nullable String part() {
    return part;
  }

  boolean isUncertain() {
    return uncertain;
  }

  void creating(AcquireRequest request) {
    stored = stored(request);
    leaseFrom = parts.now();
  }

  /** Whether the create took effect will be known when it has been searched for. */
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

  /** The node was written. */
  void written(NodeData now, long sentAt) {
    stored = now;
    leaseFrom = sentAt;
  }

  void lessened(String marker) {
    part = marker;
  }

  /** There is no node any more. */
  void nodeGone() {
    name = null;
    born = null;
    wait = null;
    self = null;
    granted = false;
    waited = false;
    claimed = false;
  }

  /** Asks the servers whether it holds. */
  CompletableFuture<Boolean> isThere() {
    if (!granted || !hasNode()) {
      return CompletableFuture.completedFuture(false);
    }
    return session
        .stat(path(), null)
        .thenApply(stat -> true)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(false)
                    : CompletableFuture.failedFuture(fault));
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

  /** True if it was not its turn when the node was created. */
  boolean hasWaited() {
    return waited;
  }

  /** It is about to say in its node that it holds. */
  void claiming() {
    claimed = true;
  }

  void claimFailed() {
    claimed = false;
  }

  /** True if it has said in its node that it holds, or the answer to that was lost. */
  boolean mayHaveClaimed() {
    return claimed;
  }

  /**
   * It holds from now on.
   *
   * @return false if its node has gone meanwhile; if it goes later, the watch of it sees a holder
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
   * A watch of its own node, which sees nothing but the end of it. One who waits lines up again.
   *
   * @param lost what to do if it holds
   */
  OneShotWatch watchForSelf(Runnable lost) {
    return new OneShotWatch(
        watch -> {
          boolean held;
          synchronized (this) {
            held = granted;
          }
          if (held) {
            lost.run();
          } else if (!givenUp) {
            parts.context().signals().changed(owner);
          }
        });
  }

  /** The server has taken this watch of the node, which was there. */
  void watchesSelf(OneShotWatch watch) {
    self = watch;
  }

  /**
   * True if it would have heard, before any younger news of the same connection, that its node has
   * gone.
   */
  boolean isWatchingSelf() {
    OneShotWatch watch = self;
    return watch != null && !watch.hasFired();
  }

  /** True if it has heard that its node has gone. */
  boolean hasSeenItsEnd() {
    OneShotWatch watch = self;
    return watch != null && watch.hasFired();
  }

  /**
   * A watch for this place, of a node or, if null, of the line: the present one if it watches that
   * already. What it sees is passed on while it is the one that counts.
   */
  OneShotWatch watchFor(@Nullable Ticket ticket) {
    Wait present = wait;
    if (present != null
        && !present.watch().hasFired()
        && Objects.equals(present.verdict().watched(), ticket)) {
      return present.watch();
    }
    return new OneShotWatch(
        watch -> {
          Wait current = wait;
          if (current == null || current.watch() == watch) {
            parts.context().signals().changed(owner);
          }
        });
  }
}
