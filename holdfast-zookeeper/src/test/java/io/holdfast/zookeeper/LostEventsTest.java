package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Watch events and answers come on one connection and in order, so ZooKeeper does not lose one
 * without the other. Even if it did, a waiter would get its turn, because it also polls.
 */
@Timeout(300)
class LostEventsTest {
  @Test
  void aWaiterWhoseWatchMissesItsEventStillGetsItsTurn() {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        EventRelay relay = new EventRelay(server.port());
        LockManager holder = LockManager.create(server.url() + Patience.LASTING);
        LockManager waiter =
            LockManager.create("zookeeper://127.0.0.1:" + relay.port() + Patience.LASTING)) {
      Lease held = holder.getLock("k").acquire();
      CompletableFuture<Lease> waiting = waiter.getLock("k").acquireAsync();
      Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
      // A waiter is in the line before it watches its predecessor, and needs no event until then.
      ServerCounts counts = new ServerCounts(server);
      Patience.eventually().until(() -> counts.isSomebodyWatched("k"));
      relay.loseEvents();
      held.close();
      Lease next = get(waiting);
      assertThat(relay.lostEvents()).as("the event that announced the turn").isPositive();
      assertThat(next.isValid()).isTrue();
      next.close();
    }
  }

  /** The client reconnects after two thirds of the session time-out without an answer. */
  @Test
  void aWaiterWhoseServerSilentlyDroppedItsConnectionStillGetsItsTurn() {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        FaultyProxy network = FaultyProxy.to("127.0.0.1", server.port());
        LockManager holder = LockManager.create(server.url() + Patience.LASTING);
        LockManager waiter =
            LockManager.create(
                "zookeeper://127.0.0.1:%d?sessionTimeout=9s&timeout=5s&connectTimeout=60s"
                    .formatted(network.port()))) {
      Lease held = holder.getLock("k").acquire();
      LockConfig persistent =
          LockConfig.builder().lockKey("k").storeTimeout(Duration.ofMinutes(5)).build();
      CompletableFuture<Lease> waiting = waiter.getLock(persistent).acquireAsync();
      Patience.eventually().until(() -> holder.getLock("k").info().waiters().size() == 1);
      network.dropServerSideOf(network.portsAtServer().get(0));
      held.close();
      // Its lease is half of a short session: a starved process may lose it before it gives it
      // back.
      get(get(waiting).closeAsync().exceptionally(lost -> null));
    }
  }

  private static <T> T get(CompletableFuture<T> future) {
    return future.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
  }
}
