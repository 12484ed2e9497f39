package io.holdfast.torture.client;

import io.holdfast.LockLoss;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Finds out whose hold a loss is about. A lock tells its listeners the key and the token; which
 * hold has that token is known only when its thread has written it down, which may be a little
 * later.
 */
final class Losses {
  private record Place(String key, long token) {}

  private final Map<Place, BiConsumer<Long, LockLoss>> holds = new HashMap<>();
  private final Map<Place, Map.Entry<Long, LockLoss>> early = new HashMap<>();

  /** A loss was heard at that time. */
  void heard(long nanos, LockLoss loss) {
    BiConsumer<Long, LockLoss> hold;
    synchronized (this) {
      Place place = new Place(loss.key(), loss.token());
      hold = holds.get(place);
      if (hold == null) {
        early.put(place, Map.entry(nanos, loss));
      }
    }
    if (hold != null) {
      hold.accept(nanos, loss);
    }
  }

  /** This hold is to be told. */
  void expect(String key, long token, BiConsumer<Long, LockLoss> hold) {
    Map.Entry<Long, LockLoss> before;
    synchronized (this) {
      Place place = new Place(key, token);
      holds.put(place, hold);
      before = early.remove(place);
    }
    if (before != null) {
      hold.accept(before.getKey(), before.getValue());
    }
  }

  /** This hold is over. */
  synchronized void forget(String key, long token) {
    holds.remove(new Place(key, token));
  }
}
