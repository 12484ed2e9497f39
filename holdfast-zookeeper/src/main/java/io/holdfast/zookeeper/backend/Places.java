package io.holdfast.zookeeper.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Owner;
import io.holdfast.spi.ReleaseResult;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of this process in all lines, and what becomes of them when a session ends or a
 * connection is back. A place that is given up stays known until its node is known to be gone, so
 * that no failed delete leaves one behind.
 */
final class Places implements ZooKeeperClient.Listener {
  private final EngineContext parts;
  private final Map<Owner, Place> places = new ConcurrentHashMap<>();
  private volatile boolean connectedBefore;
  private volatile boolean closed;

  Places(EngineContext parts) {
    this.parts = parts;
  }

  /** How many are known. */
  int size() {
    return places.size();
  }

  @Nullable Place find(Owner owner) {
    return places.get(owner);
  }

  /**
   * The place of whoever makes an attempt, until {@link #finished}. One of a session that has ended
   * is replaced by a new one; its node may still be there and is searched for.
   */
  Place begin(Session session, AcquireRequest request) {
    return places.compute(
        request.owner(),
        (owner, known) -> {
          Place place =
              known != null && known.session == session
                  ? known
                  : new Place(parts, session, request, known != null);
          place.attempts++;
          return place;
        });
  }

  /**
   * An attempt is over. A place that has left no trace is forgotten, unless another attempt came.
   */
  void finished(Place place) {
    places.computeIfPresent(
        place.owner,
        (owner, known) -> {
          place.attempts--;
          boolean empty = !place.hasNode() && !place.isUncertain() && place.attempts == 0;
          boolean aside = place.waiting() != null; // until it departs
          return known == place && empty && !aside ? null : known;
        });
  }

  void forget(Place place) {
    places.remove(place.owner, place);
    removePart(place);
  }

  private void removePart(Place place) {
    String part = place.part();
    if (part != null) {
      place.session.delete(parts.paths().child(place.resource, part), -1);
    }
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
   * The node of a holder is gone. Core may not have taken the grant, because it came too late, and
   * make another attempt: that goes on with the place, which is not forgotten then.
   */
  void lost(Place place) {
    if (!place.isGranted() || place.isGivenUp()) {
      return;
    }
    Place left =
        places.computeIfPresent(
            place.owner, (owner, known) -> known == place && place.attempts == 0 ? null : known);
    if (left != place) {
      removePart(place);
    }
    parts.context().signals().lost(place.owner);
    parts.context().signals().changed(place.owner);
  }

  /** Somebody has taken it from whoever holds it, perhaps from us. */
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
      parts.context().signals().reconnected();
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
