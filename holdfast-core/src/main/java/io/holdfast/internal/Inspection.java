package io.holdfast.internal;

import io.holdfast.LockInfo;
import io.holdfast.spi.ClientIdentity;
import io.holdfast.spi.LockSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what the store knows about a lock and what this process knows better: the thread,
 * token and hold count of a holder of its own.
 */
final class Inspection {
  private Inspection() {}

  static LockInfo combine(
      String key, LockSnapshot snapshot, @Nullable Hold local, int localHolds, int localWaiters) {
    LockSnapshot.Holder stored = snapshot.holder();
    Optional<LockInfo.Holder> holder =
        stored == null ? Optional.empty() : Optional.of(holder(stored, local, localHolds));
    List<LockInfo.Waiter> waiters = snapshot.waiters().stream().map(Inspection::waiter).toList();
    return new LockInfo(key, holder, waiters, localWaiters);
  }

  private static LockInfo.Holder holder(
      LockSnapshot.Holder stored, @Nullable Hold local, int localHolds) {
    Hold ours = local != null && local.tenure.owner().equals(stored.owner()) ? local : null;
    ClientIdentity client = stored.client();
    return new LockInfo.Holder(
        client.application(),
        client.host(),
        client.pid(),
        ours != null ? ours.thread.getName() : stored.thread(),
        stored.owner().toString(),
        stored.since(),
        Duration.ofMillis(stored.remainingMillis()),
        ours != null ? ours.token : stored.token(),
        ours != null ? localHolds : stored.holds());
  }

  private static LockInfo.Waiter waiter(LockSnapshot.Waiter stored) {
    ClientIdentity client = stored.client();
    return new LockInfo.Waiter(
        client.application(),
        client.host(),
        client.pid(),
        stored.thread(),
        stored.owner().toString(),
        stored.since());
  }
}
