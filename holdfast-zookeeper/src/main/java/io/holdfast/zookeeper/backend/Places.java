package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of this process in all lines, and how they react to the end of a session and to a new
 * connection. A place that was given up stays known until its node is known to be gone, so that a
 * failed delete leaves no node behind.
 */
final class Places implements ZooKeeperClient.Listener {
  private final EngineContext engine;
  private final Map<Owner, Place> places = new ConcurrentHashMap<>();
  private volatile boolean connectedBefore;
  private volatile boolean closed;

  Places(EngineContext engine) {
    this.engine = engine;
  }

  /** The number of known places. */
  int size() {
    return places.size();
  }

  @Nullable Place find(Owner owner) {
    return places.get(owner);
  }

  /**
   * The place of an owner that makes an attempt, until {@link #finished}. A place of another
   * session is replaced by a new one; the former node may still be there and is searched for.
   */
  Place begin(Session session, AcquireRequest request) {
    return places.compute(
        request.owner(),
        (owner, known) -> {
          Place place =
              known != null && known.session == session
                  ? known
                  : new Place(engine, session, request, known != null);
          place.attempts++;
          return place;
        });
  }

  /** An attempt is over. A place without a trace is forgotten, unless another attempt uses it. */
  void finished(Place place) {
    places.computeIfPresent(
        place.owner,
        (owner, known) -> {
          place.attempts--;
          boolean empty = !place.hasNode() && !place.isUncertain() && place.attempts == 0;
          boolean aside = place.waiting() != null; // stays known until it departs
          return known == place && empty && !aside ? null : known;
        });
  }

  void forget(Place place) {
    places.remove(place.owner, place);
    place.deletePart();
  }

  CompletableFuture<ReleaseResult> depart(Owner owner) {
    Place place = places.get(owner);
    if (place == null) {
      return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }
    place.giveUp();
    return place
        .inTurn(() -> new Departure(place).run())
        .thenApply(
            result -> {
              places.remove(owner, place);
              return result;
            });
  }

  /**
   * The node of a holder is gone. The place is forgotten unless an attempt uses it: core makes
   * another attempt when a grant came too late.
   */
  void lost(Place place) {
    if (!place.isGranted() || place.isGivenUp()) {
      return;
    }
    Place left =
        places.computeIfPresent(
            place.owner, (owner, known) -> known == place && place.attempts == 0 ? null : known);
    if (left != place) {
      place.deletePart();
    }
    engine.context().signals().lost(place.owner);
    engine.context().signals().changed(place.owner);
  }

  /** A forced release has deleted the node of this owner, who may be one of this process. */
  void forced(Owner owner) {
    Place place = places.get(owner);
    if (place != null) {
      lost(place);
    }
  }

  @Override
  public void connected(Session session) {
    if (connectedBefore && !closed) {
      places.forEach(
          (owner, place) -> {
            if (place.isGivenUp()) {
              depart(owner);
            }
          });
      engine.context().signals().reconnected();
    }
    connectedBefore = true;
  }

  @Override
  public void ended(Session session) {
    places.forEach(
        (owner, place) -> {
          if (place.session != session || closed) {
            return;
          }
          if (place.isGranted()) {
            lost(place);
          } else if (place.isGivenUp()) {
            forget(place);
          }
        });
  }

  void close() {
    closed = true;
  }
}
