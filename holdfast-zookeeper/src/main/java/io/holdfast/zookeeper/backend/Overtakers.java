package io.holdfast.zookeeper.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The readers that a writer, during one attempt, has found to hold the lock although they stand
 * behind it. Only the data of their nodes tells that they do.
 */
final class Overtakers {
  private final Place place;
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  Overtakers(Place place) {
    this.place = place;
  }

  /** The names of the nodes of these readers. */
  Set<String> names() {
    return names;
  }

  boolean isEmpty() {
    return names.isEmpty();
  }

  void clear() {
    names.clear();
  }

  /** Reads the nodes of readers that may have overtaken; true if one of them has. */
  CompletableFuture<Boolean> findAmong(List<Ticket> suspects) {
    List<CompletableFuture<Boolean>> reads = new ArrayList<>();
    for (Ticket suspect : suspects) {
      reads.add(
          place
              .session
              .read(place.pathOf(suspect), null)
              .handle(
                  (content, fault) -> {
                    if (mayHold(content, fault)) {
                      names.add(suspect.name());
                    }
                    return true;
                  }));
    }
    return Futures.all(reads).thenApply(done -> !names.isEmpty());
  }

  /** A reader whose node cannot be read may hold: the writer waits rather than guesses. */
  private static boolean mayHold(@Nullable Content content, @Nullable Throwable fault) {
    return content != null ? content.data().declaresHold() : !ZooKeeperFaults.isMissing(fault);
  }
}
