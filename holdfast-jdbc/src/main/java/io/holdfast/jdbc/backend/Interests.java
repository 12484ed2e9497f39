package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this process waits for and holds, as far as its backend knows: whom news may concern. An
 * owner is entered before its request is sent, so that no message can come too early, and taken out
 * when it is released.
 */
final class Interests {
  /**
   * One owner.
   *
   * @param confirmed true once the database is known to have it in the row
   * @param holding true for a holder, false for a waiter
   * @param since when it came to be so, by our own clock
   */
  record Interest(Resource resource, Owner owner, boolean confirmed, boolean holding, long since) {}

  private final Map<String, Interest> interests = new ConcurrentHashMap<>();

  boolean isEmpty() {
    return interests.isEmpty();
  }

  Collection<Interest> all() {
    return interests.values();
  }

  /** Somebody is about to ask, and may become a waiter. */
  void asking(Resource resource, Owner owner, long now) {
    interests.putIfAbsent(owner.tenureId(), new Interest(resource, owner, false, false, now));
  }

  /** It is a waiter, from now on. */
  void waiting(Owner owner) {
    interests.computeIfPresent(
        owner.tenureId(),
        (id, old) ->
            old.holding() ? old : new Interest(old.resource(), owner, true, false, old.since()));
  }

  /** It is a holder, as of a time that is not earlier than the database says. */
  void holding(Resource resource, Owner owner, long now) {
    interests.put(owner.tenureId(), new Interest(resource, owner, true, true, now));
  }

  /** The same for one that is known; null if it has gone. */
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
