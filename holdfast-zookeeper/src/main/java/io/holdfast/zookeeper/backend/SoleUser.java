package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Locks that nobody but this process uses at present: there the line need not be read. The server
 * numbers all nodes that are ever created in a container one after the other. So if we were alone
 * in the line with one number, have deleted that node, and the next node of ours has the next
 * number, then nobody else has come since.
 *
 * <pre>
 *   create -> 7, children -> only 7    alone
 *   delete 7
 *   create -> 8                        alone again, without asking
 *   create -> 10                       somebody was or is here: ask
 * </pre>
 *
 * <p>A container that was removed and made again numbers from the start, and could come to the same
 * number in another way. So it is watched, from a time at which our own node was in it; ZooKeeper
 * delivers the news of its end before any answer that is younger. A lock is watched when it was
 * taken twice in a row, so that those used once, or by several processes in turn, cost nothing.
 */
final class SoleUser {
  private static final int MOST_WATCHED = 1_000;
  private static final int MOST_KNOWN = 4_000;

  /** What is known of one lock. */
  private static final class Known {
    final Session session;
    int number;
    boolean left;
    boolean inARow;
    boolean asked;
    boolean watched;

    Known(Session session) {
      this.session = session;
    }
  }

  private final Paths paths;

  // Guarded by this.
  private final Map<String, Known> locks = new HashMap<>();
  private int asked;

  SoleUser(Paths paths) {
    this.paths = paths;
  }

  /** True if it is worth creating a node without asking for the line at the same time. */
  synchronized boolean isLikely(Place place) {
    Known known = find(place);
    return known != null && known.watched && known.inARow && known.left;
  }

  /**
   * True if the node that was just created is known to be alone in the line. At the end of the
   * numbers the server gives the last of them to several: there the line is read, which says so.
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
  void found(Place place, int number) {
    if (place.resource.kind() != Resource.Kind.LOCK) {
      return;
    }
    Known known = note(place, number);
    if (known != null) {
      watch(place, known);
    }
  }

  /** What is to be watched from now on, if anything. */
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
    if (!known.inARow || known.asked || asked >= MOST_WATCHED) {
      return null;
    }
    known.asked = true;
    asked++;
    return known;
  }

  /** What belongs to a session that is over is of no use, and nobody will say that it has ended. */
  private void makeRoom() {
    if (asked < MOST_WATCHED && locks.size() < MOST_KNOWN) {
      return;
    }
    locks.values().removeIf(each -> each.session.isOver());
    asked = (int) locks.values().stream().filter(each -> each.asked).count();
    if (locks.size() >= MOST_KNOWN) {
      locks.values().removeIf(each -> !each.asked);
    }
  }

  /** Asked while our node is in the container, so it is that container which is watched. */
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
                watching(known);
              }
            });
  }

  private synchronized void watching(Known known) {
    known.watched = true;
  }

  /** Others are in the line, or were. */
  synchronized void foundOthers(Place place) {
    Known known = find(place);
    if (known != null) {
      known.left = false;
      known.inARow = false;
    }
  }

  /** The node with this number was deleted by us. */
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
    if (known != null && known.asked) {
      asked--;
    }
  }
}
