package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sole user does not read the line of its lock; then another process comes. */
@Timeout(300)
class SoleUserTest {
  private static final int ROUNDS = 5; // enough to become the sole user

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final LockManager manager = LockManager.create(server.url() + Patience.LASTING);
  private final LockManager another = LockManager.create(server.url() + Patience.LASTING);
  private final DistributedLock lock = manager.getLock("k");
  private final DistributedLock elsewhere = another.getLock("k");

  @AfterEach
  void close() {
    manager.close();
    another.close();
    server.close();
  }

  private static void use(DistributedLock some, int times) {
    for (int i = 0; i < times; i++) {
      some.lock();
      some.unlock();
    }
  }

  @Test
  void anotherProcessThatHoldsIsSeen() throws InterruptedException {
    use(lock, ROUNDS);
    elsewhere.lock();
    assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
    elsewhere.unlock();
    assertThat(lock.tryLock(Patience.LIMIT)).isTrue();
    assertThat(elsewhere.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
    lock.unlock();
  }

  @Test
  void anotherProcessThatCameAndWentIsSeen() throws InterruptedException {
    use(lock, ROUNDS);
    use(elsewhere, ROUNDS);
    lock.lock();
    assertThat(elsewhere.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
    lock.unlock();
    elsewhere.lock();
    assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
    elsewhere.unlock();
  }

  @Test
  void aNewLineThatHasReachedTheSameNumberIsRead() throws InterruptedException {
    use(lock, ROUNDS); // numbers 0 to 4
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      nodes.deleteAll("/holdfast/k");
    }
    use(elsewhere, ROUNDS - 1); // numbers 0 to 3 of the new line
    elsewhere.lock(); // number 4: the next one is what the first process expects
    assertThat(lock.tryLock(300, TimeUnit.MILLISECONDS)).isFalse();
    elsewhere.unlock();
    use(lock, ROUNDS);
  }

  @Test
  void tokensGrowWhetherTheLineIsReadOrNot() {
    long last = 0;
    for (int i = 0; i < 4 * ROUNDS; i++) {
      DistributedLock next = i % ROUNDS == 0 ? elsewhere : lock;
      try (Lease lease = next.acquire()) {
        assertThat(lease.token()).isGreaterThan(last);
        last = lease.token();
      }
    }
  }
}
