package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The owners of this process that wait or hold, as far as its backend knows: those that a signal
 * may concern. An owner is added before its request is sent, so that no notification comes too
 * early, and removed when it is released.
 */
final class Interests {
  /**
   * One owner.
   *
   * @param confirmed true once the row in the database is known to contain the owner
   * @param holding true for a holder, false for a waiter
   * @param since since when the owner has waited or held, by our own clock
   */
  record Interest(Resource resource, Owner owner, boolean confirmed, boolean holding, long since) {}

  private final Map<String, Interest> interests = new ConcurrentHashMap<>();

  boolean isEmpty() {
    return interests.isEmpty();
  }

  Collection<Interest> all() {
    return interests.values();
  }

  /** An owner is about to send a request and may become a waiter. */
  void asking(Resource resource, Owner owner, long now) {
    interests.putIfAbsent(owner.tenureId(), new Interest(resource, owner, false, false, now));
  }

  /** The owner is a waiter from now on. */
  void waiting(Owner owner) {
    interests.computeIfPresent(
        owner.tenureId(),
        (id, old) ->
            old.holding() ? old : new Interest(old.resource(), owner, true, false, old.since()));
  }

  /** The owner is a holder since a time that is not earlier than the grant in the database. */
  void holding(Resource resource, Owner owner, long now) {
    interests.put(owner.tenureId(), new Interest(resource, owner, true, true, now));
  }

  /** The same for a known owner; null if it was removed. */
  @Nullable Interest nowHolding(Owner owner, long now) {
    return interests.computeIfPresent(
        owner.tenureId(), (id, old) -> new Interest(old.resource(), owner, true, true, now));
  }

  @Nullable Interest find(Owner owner) {
    return interests.get(owner.tenureId());
  }

  void forget(Owner owner) {
    interests.remove(owner.tenureId());
  }
}
