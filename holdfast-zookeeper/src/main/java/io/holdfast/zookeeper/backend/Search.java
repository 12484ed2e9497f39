package io.holdfast.zookeeper.backend;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Looks for the nodes of an owner when it is not known whether there are any: a create was not
 * answered, or was answered to an earlier session. The line is read after everything sent before,
 * so a node that is not in it will not appear later.
 */
final class Search {
  private final Place place;

  Search(Place place) {
    this.place = place;
  }

  /** Adopts the first node that belongs to the present session and deletes the others. */
  CompletableFuture<?> adopt() {
    return forEach(
        ticket ->
            place
                .session
                .stat(place.pathOf(ticket), null)
                .thenCompose(stat -> adoptOrDelete(ticket, stat)));
  }

  /** A node of another session ends with that session; until then it would hold up the line. */
  private CompletableFuture<Boolean> adoptOrDelete(Ticket ticket, NodeStat stat) {
    if (stat.session() == place.session.id() && !place.hasNode()) {
      place.created(ticket.name(), stat);
      return CompletableFuture.completedFuture(true);
    }
    return delete(ticket);
  }

  /** Deletes all nodes of the owner. */
  CompletableFuture<?> deleteAll() {
    return forEach(this::delete);
  }

  private CompletableFuture<Boolean> delete(Ticket ticket) {
    return place.session.deleteIfThere(place.pathOf(ticket));
  }

  private CompletableFuture<?> forEach(Function<Ticket, CompletableFuture<Boolean>> action) {
    return place
        .session
        .latestChildren(place.engine.paths().of(place.resource))
        .thenCompose(children -> Futures.all(ownTickets(children).map(action).toList()))
        .thenRun(place::searched);
  }

  private Stream<Ticket> ownTickets(Children children) {
    return Line.of(place.resource, children.names()).of(place.owner).stream();
  }
}
