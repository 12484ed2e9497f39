package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.AcquireResult;
import io.holdfast.spi.Resource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * The last step to a grant. Mostly there is nothing to do: whoever stands in front holds. The owner
 * must say so by a write to its node when
 *
 * <ul>
 *   <li>its lease is one of time, and a good part of it has passed since it came;
 *   <li>others behind it wait for a sign: in a semaphore they may fit too;
 *   <li>grants may not follow the order of the line: in a read-write lock with readers that
 *       overtake. The token is then made of that write. A writer and a reader that overtakes also
 *       write to the container, on condition that nobody else has since they looked: so either the
 *       writer sees that reader, or that reader sees the writer.
 * </ul>
 */
final class Grant {
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final byte[] NOTHING = {};

  private final Place place;
  private final AcquireRequest request;
  private final EngineContext parts;
  private final long startedAt;
  private final long restsOn;

  /** One that rests on something that is sent after the attempt began. */
  Grant(Place place, AcquireRequest request, long startedAt) {
    this(place, request, startedAt, startedAt);
  }

  /**
   * One that rests on something sent earlier: its lease is counted from then on.
   *
   * @param restsOn a clock reading from before that was sent
   */
  Grant(Place place, AcquireRequest request, long startedAt, long restsOn) {
    this.place = place;
    this.request = request;
    this.parts = place.parts;
    this.startedAt = startedAt;
    this.restsOn = restsOn;
  }

  /**
   * Makes the grant.
   *
   * @param children as they were when the verdict was made
   * @param nothingSince true if nothing has happened in the line since the node was created
   * @return null if the line has to be looked at again
   */
  CompletableFuture<@Nullable AcquireResult> make(
      Verdict verdict, @Nullable Children children, boolean nothingSince) {
    long kept = place.stored().leaseMillis(); // counted from the last write; 0 with the session
    boolean late = kept != 0 && age() > kept / 4;
    boolean say =
        switch (place.resource.kind()) {
          case LOCK -> late;
          case SEMAPHORE -> late || place.hasWaited();
          case READ_WRITE -> !nothingSince || verdict.overtakes();
          case LATCH -> throw new IllegalArgumentException("nobody holds a latch");
        };
    if (!say) {
      long asked = left(place, request, startedAt, restsOn);
      long lease = kept == 0 ? asked : Math.min(asked, kept - age() - age() / 10);
      return place.session.isTooSilent(restsOn)
          ? CompletableFuture.failedFuture(Place.silent())
          : granted(place.born().createdBy(), place.born().createdAt(), lease, verdict);
    }
    return claim(verdict, children);
  }

  /**
   * What can be promised from the beginning of an attempt on, in milliseconds, if the session was
   * last known to be alive at an earlier time. What has passed since is counted twice: core takes
   * the drift of clocks, a tenth at most, off what is left only.
   */
  static long left(Place place, AcquireRequest request, long startedAt, long restsOn) {
    long passed = Math.max(0, startedAt - restsOn + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
    return place.promise(request.leaseMillis(), restsOn) - 2 * passed;
  }

  /** Of the lease, when the attempt began, in milliseconds. Clocks drift by a tenth at most. */
  private long age() {
    return Math.max(0, (startedAt - place.leaseFrom()) / NANOS_PER_MILLI);
  }

  /**
   * Says that the owner holds.
   *
   * @param children as they were when the verdict was made; null if the order is settled
   * @return null if the line has to be looked at again
   */
  CompletableFuture<@Nullable AcquireResult> claim(Verdict verdict, @Nullable Children children) {
    if (place.session.isTooSilent(startedAt)) {
      return CompletableFuture.failedFuture(Place.silent());
    }
    long lease = place.isBySession(request.leaseMillis()) ? 0 : request.leaseMillis();
    NodeData claimed = place.stored().in(NodeData.State.CLAIMED, lease, 0, 0);
    long sentAt = parts.now();
    boolean order =
        children != null
            && place.resource.kind() == Resource.Kind.READ_WRITE
            && (verdict.overtakes() || place.claim.amount() > 1);
    place.claiming();
    CompletableFuture<NodeStat> write =
        order && children != null
            ? claimInOrder(claimed, children.version())
            : place.session.write(place.path(), claimed.bytes(), -1);
    return write
        .handle(
            (stat, fault) -> {
              if (fault == null) {
                parts.written(stat);
                place.written(claimed, sentAt);
                boolean byWrite = place.resource.kind() == Resource.Kind.READ_WRITE;
                long transaction = byWrite ? stat.changedBy() : place.born().createdBy();
                return granted(
                    transaction,
                    stat.changedAt(),
                    place.promise(request.leaseMillis(), startedAt),
                    verdict);
              }
              if (ZooKeeperFaults.isMissing(fault)) {
                place.nodeGone();
                return again();
              }
              if (ZooKeeperFaults.isChanged(fault)) {
                place.claimFailed();
                return again();
              }
              return CompletableFuture.<@Nullable AcquireResult>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }

  private static CompletableFuture<@Nullable AcquireResult> again() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<NodeStat> claimInOrder(NodeData claimed, int version) {
    String container = parts.paths().of(place.resource);
    List<Op> steps =
        List.of(
            Op.setData(container, NOTHING, version), Op.setData(place.path(), claimed.bytes(), -1));
    return place
        .session
        .all(steps)
        .thenApply(results -> NodeStat.of(((OpResult.SetDataResult) results.get(1)).getStat()));
  }

  private CompletableFuture<@Nullable AcquireResult> granted(
      long transaction, long serverMillis, long leaseMillis, Verdict verdict) {
    return parts
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
