package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.testservers.FaultyProxy;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** The application has told ZooKeeper's client, for the whole JVM, to drop its watches. */
@Isolated
@Timeout(300)
class AutoWatchResetTest {
  private static final int ROUNDS = 5; // enough to become the sole user

  private static void use(DistributedLock some, int times) {
    for (int i = 0; i < times; i++) {
      some.lock();
      some.unlock();
    }
  }

  @Test
  void aLineThatWasDeletedDuringAnOutageIsRead() throws InterruptedException {
    System.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
    try (ZooKeeperServer server = ZooKeeperServer.start();
        FaultyProxy network = FaultyProxy.to("127.0.0.1", server.port());
        LockManager another = LockManager.create(server.url() + Patience.LASTING);
        LockManager cutOff =
            LockManager.create("zookeeper://127.0.0.1:" + network.port() + Patience.LASTING)) {
      DistributedLock elsewhere = another.getLock("k");
      DistributedLock far = cutOff.getLock("k");
      use(far, ROUNDS); // numbers 0 to 4
      network.refuse();
      network.cut();
      try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
        nodes.deleteAll("/holdfast/k");
      }
      use(elsewhere, ROUNDS - 1); // numbers 0 to 3 of the new line
      elsewhere.lock(); // number 4: the next one is what the first process expects
      network.heal();
      Patience.eventually()
          .ignoreExceptionsInstanceOf(StoreException.class)
          .until(() -> cutOff.getLock("another").tryLock());
      assertThat(far.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
      elsewhere.unlock();
    } finally {
      System.clearProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET);
    }
  }
}
