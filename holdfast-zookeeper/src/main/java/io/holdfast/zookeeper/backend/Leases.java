package io.holdfast.zookeeper.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the leases of holders whose time is over although their session lives. Whoever is kept
 * waiting by them does it: reads their nodes when they should be over, learns the time of the
 * server by writing its own node, and deletes theirs if they have not been written meanwhile.
 */
final class Leases {
  private static final Logger log = LoggerFactory.getLogger(Leases.class);
  private static final long STAGGER_MILLIS = 100;
  private static final long MOST_STAGGER_MILLIS = 3_000;

  private final EngineContext parts;

  Leases(EngineContext parts) {
    this.parts = parts;
  }

  /**
   * When to look at the holders again, in milliseconds; -1 if nothing is known that would end.
   * Those further behind look later, so that not all of them do it at once.
   */
  long millisToNextEnd(Place place, Verdict verdict) {
    long next = -1;
    for (Ticket holder : verdict.holders()) {
      LeaseBook.Entry entry = parts.book().find(path(place, holder));
      long left = entry == null ? -1 : entry.millisLeft(parts.clock(), parts.now());
      if (left >= 0) {
        next = next < 0 ? left : Math.min(next, left);
      }
    }
    long stagger = Math.min(MOST_STAGGER_MILLIS, (verdict.before() - 1L) * STAGGER_MILLIS);
    return next < 0 ? next : next + Math.max(0, stagger);
  }

  /** True if the lease of a holder may be over, as far as can be told without writing anything. */
  CompletableFuture<Boolean> mayBeOver(Place place, Verdict verdict) {
    return readDue(place, verdict.holders(), true)
        .thenApply(
            read -> {
              boolean timeIsKnown = parts.clock().isKnown();
              return timeIsKnown
                  ? !due(place, verdict.holders()).isEmpty()
                  : anyEnds(place, verdict);
            });
  }

  private boolean anyEnds(Place place, Verdict verdict) {
    return verdict.holders().stream()
        .map(holder -> parts.book().find(path(place, holder)))
        .anyMatch(entry -> entry != null && !entry.endsWithSession());
  }

  /**
   * Ends what is over.
   *
   * @param unknownToo true to read also holders of which nothing is known yet
   * @return true if the line has changed
   */
  CompletableFuture<Boolean> endOverdue(Place place, Verdict verdict, boolean unknownToo) {
    if (!unknownToo && due(place, verdict.holders()).isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    return readDue(place, verdict.holders(), unknownToo)
        .thenCompose(
            read -> {
              List<Ticket> due = due(place, verdict.holders());
              return due.isEmpty()
                  ? CompletableFuture.completedFuture(false)
                  : endThose(place, due);
            });
  }

  /** Those whose lease is over by what we know of the time of the server. */
  private List<Ticket> due(Place place, List<Ticket> holders) {
    List<Ticket> due = new ArrayList<>();
    for (Ticket holder : holders) {
      LeaseBook.Entry entry = parts.book().find(path(place, holder));
      if (entry != null && entry.millisLeft(parts.clock(), parts.now()) == 0) {
        due.add(holder);
      }
    }
    return due;
  }

  private CompletableFuture<?> readDue(Place place, List<Ticket> holders, boolean unknownToo) {
    List<CompletableFuture<?>> reads = new ArrayList<>();
    List<Ticket> due = due(place, holders);
    for (Ticket holder : holders) {
      String path = path(place, holder);
      if (due.contains(holder) || (unknownToo && parts.book().find(path) == null)) {
        reads.add(
            place
                .session
                .read(path, null)
                .handle(
                    (content, fault) -> {
                      if (fault == null) {
                        parts.book().note(path, content, parts.now());
                      } else if (ZooKeeperFaults.isMissing(fault)) {
                        parts.book().forget(path); // the watch will tell
                      }
                      return true;
                    }));
      }
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Boolean> endThose(Place place, List<Ticket> due) {
    NodeData waiting = place.stored().waiting(place.stored().note());
    long sentAt = parts.now();
    return place
        .session
        .write(place.path(), waiting.bytes(), -1)
        .thenCompose(
            stat -> {
              parts.written(stat);
              place.written(waiting, sentAt);
              List<CompletableFuture<Boolean>> ends = new ArrayList<>();
              due.forEach(holder -> ends.add(end(place, holder, stat)));
              return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                  .thenApply(all -> ends.stream().anyMatch(CompletableFuture::join));
            });
  }

  private CompletableFuture<Boolean> end(Place place, Ticket holder, NodeStat justWritten) {
    String path = path(place, holder);
    LeaseBook.Entry entry = parts.book().find(path);
    if (entry == null || !entry.isOver(justWritten, parts.now())) {
      return CompletableFuture.completedFuture(false);
    }
    return place
        .session
        .delete(path, entry.stat().version())
        .handle(
            (done, fault) -> {
              if (fault != null) {
                parts.book().forget(path);
              } else {
                parts.book().ended(path, entry.stored(), parts.now());
                log.info(
                    "{}: the lease of {} on {} was over and is ended",
                    place.resource,
                    holder.owner(),
                    entry.stored().host());
              }
              return fault == null || ZooKeeperFaults.isMissing(fault);
            });
  }

  private String path(Place place, Ticket holder) {
    return parts.paths().child(place.resource, holder.name());
  }
}
