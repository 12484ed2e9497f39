package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a lock costs where the servers are far away: how often it goes there and back. While the
 * answers are held back a client sends what needs none. If it asks nothing more once they arrive,
 * that was one round trip.
 */
@Timeout(300)
class RoundTripsTest {
  @Test
  void aLockIsOneRoundTripAndSoIsItsUnlock() {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        FaultyProxy network = FaultyProxy.to("127.0.0.1", server.port());
        LockManager near = LockManager.create(server.url() + Patience.LASTING);
        LockManager far =
            LockManager.create("zookeeper://127.0.0.1:" + network.port() + Patience.LASTING);
        OtherThread other = new OtherThread("other")) {
      near.getLock("k").lock();
      try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
        nodes.create("/holdfast/k/kept");
      }
      near.getLock("k").unlock();
      DistributedLock lock = far.getLock("k");
      ServerCounts counts = new ServerCounts(server);
      assertOneRoundTrip(
          "create and children", 2, () -> other.startRun(lock::lock), counts, network);
      assertOneRoundTrip("delete", 1, () -> other.startRun(lock::unlock), counts, network);
    }
  }

  private static void assertOneRoundTrip(
      String requests,
      int number,
      Supplier<Future<Boolean>> work,
      ServerCounts counts,
      FaultyProxy network) {
    long startedAt = System.nanoTime();
    long before = counts.requests();
    network.holdReplies();
    Future<Boolean> done = work.get();
    Patience.eventually().until(() -> counts.requests() - before >= number);
    assertThat(done).as("nobody has told it anything yet").isNotDone();
    network.deliverReplies();
    OtherThread.get(done);
    assertThat(counts.requests() - before)
        .as(requests)
        .isBetween((long) number, number + ServerCounts.signsOfLife(startedAt, 2));
  }
}
