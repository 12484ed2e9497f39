package io.holdfast.zookeeper.backend;

import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletableFuture;

/**
 * Takes an owner out of a line: deletes its node or, if it is not known whether there is one, every
 * node that carries the name of the owner.
 */
final class Departure {
  private final Place place;

  Departure(Place place) {
    this.place = place;
  }

  CompletableFuture<ReleaseResult> run() {
    if (place.session.isOver()) {
      return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }
    if (place.isUncertain()) {
      return new Search(place).deleteAll().thenApply(done -> new ReleaseResult.NotHeld());
    }
    place.deletePart();
    if (!place.hasNode()) {
      return CompletableFuture.completedFuture(new ReleaseResult.NotHeld());
    }
    boolean granted = place.isGranted();
    return place
        .session
        .deleteIfThere(place.path())
        .thenApply(wasThere -> nodeDeleted(granted && wasThere));
  }

  private ReleaseResult nodeDeleted(boolean held) {
    if (held) {
      place.engine.soleUser().left(place, place.number());
    }
    place.nodeGone();
    return held ? new ReleaseResult.Released() : new ReleaseResult.NotHeld();
  }
}
