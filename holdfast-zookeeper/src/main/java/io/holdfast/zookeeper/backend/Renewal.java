package io.holdfast.zookeeper.backend;

import io.holdfast.spi.RenewRequest;
import io.holdfast.spi.RenewResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * Renews the lease of one place. A lease that lasts as long as the session needs no write: it is
 * enough that the node is still there and that the session has had an answer from a server in touch
 * with the leader. A shorter lease counts from the last write of the node, so it is written.
 */
final class Renewal {
  private static final byte[] NOTHING = {};

  private final Place place;
  private final RenewRequest request;
  private final CompletableFuture<Boolean> synced;
  private final long askedAt;

  /**
   * One renewal.
   *
   * @param synced the answer to a sync that was sent earlier; shared by a batch
   * @param askedAt a clock reading from before the sync was sent
   */
  Renewal(Place place, RenewRequest request, CompletableFuture<Boolean> synced, long askedAt) {
    this.place = place;
    this.request = request;
    this.synced = synced;
    this.askedAt = askedAt;
  }

  CompletableFuture<RenewResult> run() {
    if (place.session.isOver() || !place.hasNode() || !place.isGranted()) {
      return CompletableFuture.completedFuture(new RenewResult.Lost());
    }
    return renew()
        .handle(
            (done, fault) -> {
              if (fault == null) {
                return renewed();
              }
              return ZooKeeperFaults.isMissing(fault)
                  ? new RenewResult.Lost()
                  : new RenewResult.Unknown(ZooKeeperFaults.unwrap(fault));
            });
  }

  private RenewResult renewed() {
    return place.session.isTooSilent(askedAt)
        ? new RenewResult.Unknown(Place.silent())
        : new RenewResult.Renewed(
            place.promise(request.leaseMillis(), askedAt), place.isContended());
  }

  private CompletableFuture<?> renew() {
    boolean bySession = place.isBySession(request.leaseMillis());
    String marker = marker();
    if (marker != null) {
      return reduce(marker, bySession);
    }
    if (bySession && place.data().leaseMillis() == 0) {
      return synced.thenCombine(place.session.stat(place.path(), null), (sync, stat) -> stat);
    }
    return place.write(held(bySession));
  }

  private NodeData held(boolean bySession) {
    return place
        .data()
        .in(
            NodeData.State.HELD,
            bySession ? 0 : request.leaseMillis(),
            place.grantedAt(),
            place.grant());
  }

  /** The name of the node that says how much is kept; null if nothing more is given back. */
  private @Nullable String marker() {
    if (request.claim().amount() >= place.claim.amount()) {
      return null;
    }
    String name = Line.partName(request.claim().amount(), place.owner);
    return name.equals(place.part()) ? null : name;
  }

  /** A node keeps its name, and with it its amount, so a second node marks the smaller amount. */
  private CompletableFuture<?> reduce(String marker, boolean bySession) {
    NodeData held = held(bySession);
    long sentAt = place.engine.now();
    return place
        .session
        .all(reducing(marker, held))
        .handle(
            (done, fault) -> fault == null ? reduced(marker, held, sentAt) : retried(marker, fault))
        .thenCompose(next -> next);
  }

  private List<Op> reducing(String marker, NodeData held) {
    List<Op> operations = new ArrayList<>();
    operations.add(
        place.session.creating(
            place.engine.paths().child(place.resource, marker), NOTHING, CreateMode.EPHEMERAL));
    String former = place.part();
    if (former != null) {
      operations.add(Op.delete(place.engine.paths().child(place.resource, former), -1));
    }
    operations.add(Op.setData(place.path(), held.bytes(), -1)); // fires the watches of waiters
    return operations;
  }

  private CompletableFuture<Boolean> reduced(String marker, NodeData held, long sentAt) {
    place.reduced(marker);
    place.written(held, sentAt);
    return CompletableFuture.completedFuture(true);
  }

  /** If the marker is there already, an earlier try has succeeded and was not answered. */
  private CompletableFuture<Boolean> retried(String marker, Throwable fault) {
    if (!ZooKeeperFaults.isThere(fault)) {
      return CompletableFuture.failedFuture(fault);
    }
    place.reduced(marker);
    return place.session.stat(place.path(), null).thenApply(stat -> true);
  }
}
