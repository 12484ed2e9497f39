package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The last step to a grant. Mostly there is nothing to do: the owner of the first node holds. The
 * owner must claim the lock by a write to its node when
 *
 * <ul>
 *   <li>its lease is limited by time, and a good part of it has passed since the node was created;
 *   <li>waiters behind it depend on the claim: in a semaphore they may fit too;
 *   <li>grants may not follow the order of the line: in a read-write lock with readers that
 *       overtake. The token is then made of that write. A writer and a reader that overtakes also
 *       write to the container, on condition that it has not been written since they read the line:
 *       so either the writer sees that reader, or that reader sees the writer.
 * </ul>
 */
final class Grant {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final byte[] NOTHING = {};

  private final Place place;
  private final AcquireRequest request;
  private final EngineContext engine;
  private final long startedAt;
  private final long restsOn;

  /** A grant that rests on a request of the present attempt. */
  Grant(Place place, AcquireRequest request, long startedAt) {
    this(place, request, startedAt, startedAt);
  }

  /**
   * A grant that rests on an earlier request: its lease counts from the time of that request.
   *
   * @param restsOn a clock reading from before that request was sent
   */
  Grant(Place place, AcquireRequest request, long startedAt, long restsOn) {
    this.place = place;
    this.request = request;
    this.engine = place.engine;
    this.startedAt = startedAt;
    this.restsOn = restsOn;
  }

  /**
   * Makes the grant.
   *
   * @param children the line as it was when the verdict was made; null if the order is settled
   * @param unchanged true if the line has not changed since the node was created
   * @return null if the line must be read again
   */
  CompletableFuture<@Nullable AcquireResult> make(
      Verdict verdict, @Nullable Children children, boolean unchanged) {
    if (mustClaim(verdict, unchanged)) {
      return claim(verdict, children);
    }
    if (place.session.isTooSilent(restsOn)) {
      return CompletableFuture.failedFuture(Place.silent());
    }
    return granted(place.born().createdBy(), place.born().createdAt(), unclaimedLease(), verdict);
  }

  private boolean mustClaim(Verdict verdict, boolean unchanged) {
    long kept = place.data().leaseMillis();
    boolean late = kept != 0 && age() > kept / 4;
    return switch (place.resource.kind()) {
      case LOCK -> late;
      case SEMAPHORE -> late || place.hasWaited();
      case READ_WRITE -> !unchanged || verdict.overtakes();
      case LATCH -> throw new IllegalArgumentException("a latch has no holder");
    };
  }

  /** The lease without a claim; a lease limited by time counts from the last write of the node. */
  private long unclaimedLease() {
    long kept = place.data().leaseMillis();
    long asked = left(place, request, startedAt, restsOn);
    return kept == 0 ? asked : Math.min(asked, kept - age() - age() / 10);
  }

  /**
   * The lease, in milliseconds from the beginning of an attempt, if the session was last known to
   * be alive at an earlier time. The time in between is counted twice, because core allows for
   * clock drift, a tenth at most, on the rest of the lease only.
   */
  static long left(Place place, AcquireRequest request, long startedAt, long restsOn) {
    long passed = Math.max(0, startedAt - restsOn + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return place.promise(request.leaseMillis(), restsOn) - 2 * passed;
  }

  /** The age of the lease at the beginning of the attempt, in milliseconds. */
  private long age() {
    return Math.max(0, (startedAt - place.leaseFrom()) / NANOS_PER_MILLI);
  }

  /**
   * Claims the lock by a write to the node.
   *
   * @param children the line as it was when the verdict was made; null if the order is settled
   * @return null if the line must be read again
   */
  CompletableFuture<@Nullable AcquireResult> claim(Verdict verdict, @Nullable Children children) {
    if (place.session.isTooSilent(startedAt)) {
      return CompletableFuture.failedFuture(Place.silent());
    }
    long lease = place.isBySession(request.leaseMillis()) ? 0 : request.leaseMillis();
    NodeData claim = place.data().in(NodeData.State.CLAIMED, lease, 0, 0);
    place.claiming();
    CompletableFuture<NodeStat> write =
        children != null && mayBeOvertaken(verdict)
            ? claimInOrder(claim, children.version())
            : place.write(claim);
    return write
        .handle((stat, fault) -> fault == null ? claimed(stat, verdict) : notClaimed(fault))
        .thenCompose(next -> next);
  }

  /** True for a reader that overtakes, and for a writer, which may be overtaken. */
  private boolean mayBeOvertaken(Verdict verdict) {
    return place.resource.kind() == Resource.Kind.READ_WRITE
        && (verdict.overtakes() || place.claim.amount() > 1);
  }

  private CompletableFuture<NodeStat> claimInOrder(NodeData claim, int version) {
    String container = engine.paths().of(place.resource);
    long sentAt = engine.now();
    return place
        .session
        .all(
            List.of(
                Op.setData(container, NOTHING, version),
                Op.setData(place.path(), claim.bytes(), -1)))
        .thenApply(
            results -> {
              Stat stat = ((OpResult.SetDataResult) results.get(1)).getStat();
              return place.written(claim, sentAt, NodeStat.of(stat));
            });
  }

  private CompletableFuture<@Nullable AcquireResult> claimed(NodeStat stat, Verdict verdict) {
    boolean byWrite = place.resource.kind() == Resource.Kind.READ_WRITE;
    long transaction = byWrite ? stat.changedBy() : place.born().createdBy();
    long lease = place.promise(request.leaseMillis(), startedAt);
    return granted(transaction, stat.changedAt(), lease, verdict);
  }

  private CompletableFuture<@Nullable AcquireResult> notClaimed(Throwable fault) {
    if (ZooKeeperFaults.isMissing(fault)) {
      place.nodeGone();
    } else if (ZooKeeperFaults.isChanged(fault)) {
      place.claimFailed();
    } else {
      return CompletableFuture.failedFuture(fault);
    }
    return CompletableFuture.completedFuture(null); // the line must be read again
  }

  private CompletableFuture<@Nullable AcquireResult> granted(
      long transaction, long serverMillis, long leaseMillis, Verdict verdict) {
    return engine
        .fence()
        .tokens(place.session, transaction)
        .thenApply(
            tokens -> {
              boolean holds = place.granted(transaction, serverMillis, verdict.contended());
              return holds
                  ? new AcquireResult.Granted(tokens, leaseMillis, verdict.contended())
                  : null;
            });
  }
}
