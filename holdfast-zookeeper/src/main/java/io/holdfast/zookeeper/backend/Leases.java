package io.holdfast.zookeeper.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends overdue leases of holders whose session lives. A waiter behind such a holder does it: it
 * reads the holder's node when the lease should have ended, learns the server's time from a write
 * of its own node, and deletes the holder's node unless that was written in between.
 */
final class Leases {
  private static final Logger log = LoggerFactory.getLogger(Leases.class);
  private static final long STAGGER_MILLIS = 100;
  private static final long MOST_STAGGER_MILLIS = 3_000;

  private final EngineContext engine;

  Leases(EngineContext engine) {
    this.engine = engine;
  }

  /**
   * When to look at the holders again, in milliseconds; -1 if no end of a lease is known. Waiters
   * further behind look later, so that not all of them look at once.
   */
  long millisToNextEnd(Place place, Verdict verdict) {
    long next = -1;
    for (Ticket holder : verdict.holders()) {
      LeaseBook.Entry entry = engine.book().find(place.pathOf(holder));
      long left = entry == null ? -1 : entry.millisLeft(engine.clock(), engine.now());
      if (left >= 0) {
        next = next < 0 ? left : Math.min(next, left);
      }
    }
    long stagger = Math.min(MOST_STAGGER_MILLIS, (verdict.before() - 1L) * STAGGER_MILLIS);
    return next < 0 ? next : next + Math.max(0, stagger);
  }

  /** True if the lease of a holder may have ended, as far as reads can tell. */
  CompletableFuture<Boolean> mayHaveEnded(Place place, Verdict verdict) {
    return readDue(place, verdict.holders(), true)
        .thenApply(
            read ->
                engine.clock().isKnown()
                    ? !due(place, verdict.holders()).isEmpty()
                    : anyEnds(place, verdict));
  }

  private boolean anyEnds(Place place, Verdict verdict) {
    return verdict.holders().stream()
        .map(holder -> engine.book().find(place.pathOf(holder)))
        .anyMatch(entry -> entry != null && !entry.endsWithSession());
  }

  /**
   * Ends overdue leases.
   *
   * @param unknownToo true to read also the nodes of holders that were not read yet
   * @return true if the line has changed
   */
  CompletableFuture<Boolean> endOverdue(Place place, Verdict verdict, boolean unknownToo) {
    if (!unknownToo && due(place, verdict.holders()).isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    return readDue(place, verdict.holders(), unknownToo)
        .thenCompose(read -> endAll(place, due(place, verdict.holders())));
  }

  /** The holders whose lease has ended by the estimated time of the server. */
  private List<Ticket> due(Place place, List<Ticket> holders) {
    List<Ticket> due = new ArrayList<>();
    for (Ticket holder : holders) {
      LeaseBook.Entry entry = engine.book().find(place.pathOf(holder));
      if (entry != null && entry.millisLeft(engine.clock(), engine.now()) == 0) {
        due.add(holder);
      }
    }
    return due;
  }

  private CompletableFuture<?> readDue(Place place, List<Ticket> holders, boolean unknownToo) {
    List<CompletableFuture<Boolean>> reads = new ArrayList<>();
    List<Ticket> due = due(place, holders);
    for (Ticket holder : holders) {
      String path = place.pathOf(holder);
      if (due.contains(holder) || (unknownToo && engine.book().find(path) == null)) {
        reads.add(read(place.session, path));
      }
    }
    return Futures.all(reads);
  }

  private CompletableFuture<Boolean> read(Session session, String path) {
    return session
        .read(path, null)
        .handle(
            (content, fault) -> {
              if (fault == null) {
                engine.book().note(path, content, engine.now());
              } else if (ZooKeeperFaults.isMissing(fault)) {
                engine.book().forget(path); // the watch of the waiter fires
              }
              return true;
            });
  }

  private CompletableFuture<Boolean> endAll(Place place, List<Ticket> due) {
    if (due.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    return place
        .write(place.data().waiting(place.data().note()))
        .thenCompose(
            stat -> Futures.all(due.stream().map(holder -> end(place, holder, stat)).toList()))
        .thenApply(ends -> ends.contains(true));
  }

  private CompletableFuture<Boolean> end(Place place, Ticket holder, NodeStat justWritten) {
    String path = place.pathOf(holder);
    LeaseBook.Entry entry = engine.book().find(path);
    if (entry == null || !entry.isOver(justWritten, engine.now())) {
      return CompletableFuture.completedFuture(false);
    }
    return place
        .session
        .delete(path, entry.stat().version())
        .handle(
            (done, fault) -> {
              if (fault == null) {
                ended(place, holder, entry);
              } else {
                engine.book().forget(path);
              }
              return fault == null || ZooKeeperFaults.isMissing(fault);
            });
  }

  private void ended(Place place, Ticket holder, LeaseBook.Entry entry) {
    engine.book().ended(place.pathOf(holder), entry.data(), engine.now());
    log.info(
        "{}: ended the overdue lease of {} on {}",
        place.resource,
        holder.owner(),
        entry.data().host());
  }
}
