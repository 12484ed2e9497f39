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
 * Starts the lease of one place anew. A lease that lasts as long as the session needs no write:
 * that a server in touch with the leader has heard from us is enough, if the node is still there. A
 * shorter one is counted from the last write of the node.
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
   * @param synced the answer to a sync that was sent before; shared by a batch
   * @param askedAt a clock reading from before that was sent
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
      return lessen(marker, bySession);
    }
    if (bySession && place.stored().leaseMillis() == 0) {
      return synced.thenCombine(place.session.stat(place.path(), null), (sync, stat) -> stat);
    }
    NodeData held = held(bySession);
    long sentAt = place.parts.now();
    return place
        .session
        .write(place.path(), held.bytes(), -1)
        .thenAccept(
            stat -> {
              place.parts.written(stat);
              place.written(held, sentAt);
            });
  }

  private NodeData held(boolean bySession) {
    return place
        .stored()
        .in(
            NodeData.State.HELD,
            bySession ? 0 : request.leaseMillis(),
            place.grantedAt(),
            place.grant());
  }

  /** The node that says how much is kept, if that is less than before. */
  private @Nullable String marker() {
    if (request.claim().amount() >= place.claim.amount()) {
      return null;
    }
    String name = Line.partName(request.claim().amount(), place.owner);
    return name.equals(place.part()) ? null : name;
  }

  /** The name of a node cannot be changed, so that a second one says that less is held. */
  private CompletableFuture<?> lessen(String marker, boolean bySession) {
    NodeData held = held(bySession);
    List<Op> steps = new ArrayList<>();
    steps.add(
        place.session.creating(
            place.parts.paths().child(place.resource, marker), NOTHING, CreateMode.EPHEMERAL));
    String former = place.part();
    if (former != null) {
      steps.add(Op.delete(place.parts.paths().child(place.resource, former), -1));
    }
    steps.add(Op.setData(place.path(), held.bytes(), -1)); // tells who watches
    long sentAt = place.parts.now();
    return place
        .session
        .all(steps)
        .handle(
            (results, fault) -> {
              if (fault == null) {
                place.lessened(marker);
                place.written(held, sentAt);
                return CompletableFuture.completedFuture(true);
              }
              if (ZooKeeperFaults.isThere(fault)) { // an earlier try was not answered
                place.lessened(marker);
                return place.session.stat(place.path(), null).thenApply(stat -> true);
              }
              return CompletableFuture.<Boolean>failedFuture(fault);
            })
        .thenCompose(next -> next);
  }
}
