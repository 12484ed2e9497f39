package io.holdfast.zookeeper.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Looks for the nodes of an owner of which it is not known whether there are any: their creation
 * was not answered, or was answered to a session before. Asked after a sync, so that what is not
 * there now will not be there later.
 */
final class Search {
  private final Place place;

  Search(Place place) {
    this.place = place;
  }

  /** Makes the first that belongs to the present session the owner's own and deletes the others. */
  CompletableFuture<?> adopt() {
    return forEach(
        ticket ->
            place
                .session
                .stat(path(ticket), null)
                .thenCompose(stat -> adoptOrDelete(ticket, stat)));
  }

  /** A node of another session ends with that one, and until then is in the way. */
  private CompletableFuture<?> adoptOrDelete(Ticket ticket, NodeStat stat) {
    if (stat.session() == place.session.id() && !place.hasNode()) {
      place.created(ticket.name(), stat);
      return CompletableFuture.completedFuture(true);
    }
    return delete(ticket);
  }

  /** Deletes all of them. */
  CompletableFuture<?> deleteAll() {
    return forEach(this::delete);
  }

  private CompletableFuture<?> forEach(Function<Ticket, CompletableFuture<?>> action) {
    return place
        .session
        .latestChildren(place.parts.paths().of(place.resource))
        .thenCompose(
            children -> {
              List<CompletableFuture<?>> actions = new ArrayList<>();
              for (Ticket ticket : Line.of(place.resource, children.names()).of(place.owner)) {
                actions.add(action.apply(ticket));
              }
              return CompletableFuture.allOf(actions.toArray(CompletableFuture[]::new));
            })
        .thenRun(place::searched);
  }

  private CompletableFuture<?> delete(Ticket ticket) {
    return place
        .session
        .delete(path(ticket), -1)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(fault));
  }

  private String path(Ticket ticket) {
    return place.parts.paths().child(place.resource, ticket.name());
  }
}
