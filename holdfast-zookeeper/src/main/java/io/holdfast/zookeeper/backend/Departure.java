package io.holdfast.zookeeper.backend;

import io.holdfast.spi.ReleaseResult;
import java.util.concurrent.CompletableFuture;

/**
 * Takes an owner out of a line: deletes its node, or whatever is found under its name if it is not
 * known whether there is one.
 */
final class Departure {
  private final Place place;
  private final EngineContext parts;

  Departure(Place place) {
    this.place = place;
    this.parts = place.parts;
  }

  CompletableFuture<ReleaseResult> run() {
    if (place.session.isOver()) {
      return answer(false);
    }
    if (place.isUncertain()) {
      return new Search(place).deleteAll().thenCompose(done -> answer(false));
    }
    String part = place.part();
    if (part != null) {
      place.session.delete(parts.paths().child(place.resource, part), -1);
    }
    if (!place.hasNode()) {
      return answer(false);
    }
    boolean held = place.isGranted();
    return delete(place.path())
        .thenCompose(
            wasThere -> {
              if (held && wasThere) {
                parts.alone().left(place, place.number());
              }
              place.nodeGone();
              return answer(held && wasThere);
            });
  }

  private static CompletableFuture<ReleaseResult> answer(boolean held) {
    return CompletableFuture.completedFuture(
        held ? new ReleaseResult.Released() : new ReleaseResult.NotHeld());
  }

  private CompletableFuture<Boolean> delete(String path) {
    return place
        .session
        .delete(path, -1)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(false)
                    : CompletableFuture.failedFuture(fault));
  }
}
