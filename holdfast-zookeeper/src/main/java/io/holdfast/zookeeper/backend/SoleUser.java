package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes locks that only this process uses at present, whose line need not be read. The server
 * numbers all nodes that are ever created in a container one after the other. So if our node was
 * alone in the line, was deleted by us, and our next node has the next number, then no other node
 * was created in between.
 *
 * <pre>
 *   create -> 7, children -> only 7    alone
 *   delete 7
 *   create -> 8                        alone again, without reading the line
 *   create -> 10                       another node was or is here: read the line
 * </pre>
 *
 * <p>A container that was deleted and created again starts its numbers anew and could reach the
 * same number in another way. So the container is watched while our own node is in it; ZooKeeper
 * delivers the event of its end before any later answer. The watch is set when a lock was acquired
 * twice in a row, so that locks used once, or by several processes in turn, cost nothing.
 */
final class SoleUser {
  private static final int MAX_WATCHED = 1_000;
  private static final int MAX_KNOWN = 4_000;

  /** The knowledge about one lock. */
  private static final class Known {
    final Session session;
    int number;
    boolean left;
    boolean inARow;
    boolean watchSent;
    boolean watched;

    Known(Session session) {
      this.session = session;
    }
  }

  private final Paths paths;

  // Guarded by this.
  private final Map<String, Known> locks = new HashMap<>();
  private int watches;

  SoleUser(Paths paths) {
    this.paths = paths;
  }

  /** True if it is worth creating a node without reading the line at the same time. */
  synchronized boolean isLikely(Place place) {
    Known known = find(place);
    return known != null && known.watched && known.inARow && known.left;
  }

  /**
   * True if the node that was just created is known to be alone in the line. When the sequence
   * numbers run out, the server gives the last one to several nodes: then the line is read, and
   * judging it reports the error.
   */
  synchronized boolean isCertain(Place place, int number) {
    Known known = find(place);
    return known != null
        && known.watched
        && known.left
        && number > 0
        && number < Integer.MAX_VALUE
        && number == known.number + 1;
  }

  private @Nullable Known find(Place place) {
    if (place.resource.kind() != Resource.Kind.LOCK) {
      return null;
    }
    Known known = locks.get(place.resource.key());
    return known != null && known.session == place.session ? known : null;
  }

  /** The node of this place, which is there, is alone in the line. */
  void foundAlone(Place place, int number) {
    if (place.resource.kind() != Resource.Kind.LOCK) {
      return;
    }
    Known known = note(place, number);
    if (known != null) {
      watch(place, known);
    }
  }

  /** Notes a node that is alone; returns the lock if its container should be watched now. */
  private synchronized @Nullable Known note(Place place, int number) {
    Known known = find(place);
    if (known == null) {
      forget(place.resource.key());
      makeRoom();
      known = new Known(place.session);
      locks.put(place.resource.key(), known);
    }
    known.inARow = known.left && number == known.number + 1;
    known.number = number;
    known.left = false;
    if (!known.inARow || known.watchSent || watches >= MAX_WATCHED) {
      return null;
    }
    known.watchSent = true;
    watches++;
    return known;
  }

  /** Locks of an ended session are of no use, and no watch will report their end. */
  private void makeRoom() {
    if (watches < MAX_WATCHED && locks.size() < MAX_KNOWN) {
      return;
    }
    locks.values().removeIf(each -> each.session.isOver());
    watches = (int) locks.values().stream().filter(each -> each.watchSent).count();
    if (locks.size() >= MAX_KNOWN) {
      locks.values().removeIf(each -> !each.watchSent);
    }
  }

  /** Sent while our node is in the container, so the watch is of the present container. */
  private void watch(Place place, Known known) {
    String key = place.resource.key();
    place
        .session
        .stat(paths.of(place.resource), deleted -> forget(key, known))
        .whenComplete(
            (stat, fault) -> {
              if (fault != null) {
                forget(key, known);
              } else {
                watched(known);
              }
            });
  }

  private synchronized void watched(Known known) {
    known.watched = true;
  }

  /** Other nodes are, or were, in the line. */
  synchronized void foundOthers(Place place) {
    Known known = find(place);
    if (known != null) {
      known.left = false;
      known.inARow = false;
    }
  }

  /** This process has deleted the node with this number. */
  synchronized void left(Place place, int number) {
    Known known = find(place);
    if (known != null && known.number == number) {
      known.left = true;
    }
  }

  private synchronized void forget(String key, Known known) {
    if (locks.get(key) == known) {
      forget(key);
    }
  }

  private void forget(String key) {
    Known known = locks.remove(key);
    if (known != null && known.watchSent) {
      watches--;
    }
  }
}
