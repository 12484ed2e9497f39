package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Real processes: they count together, they are killed, they are paused. */
@Isolated
@Timeout(120)
class CrossProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private final LockManager manager = LockManager.create(server.url());

  @AfterEach
  void close() {
    manager.close();
    client.close();
    server.close();
  }

  @Test
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllComeToTheirTurn() {
    List<ChildJvm> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(
          ChildJvm.start(LockingProcess.class, "count", server.url(), "shared", "3", "PT4S"));
    }
    long sum = 0;
    List<Long> shares = new ArrayList<>();
    for (ChildJvm process : processes) {
      String line = process.awaitLine("counted ", PATIENCE);
      shares.add(Long.parseLong(line.substring("counted ".length())));
      sum += shares.get(shares.size() - 1);
      process.close();
    }
    assertThat(client.call("GET", "shared:n")).isEqualTo(Long.toString(sum));
    List<Long> tokens =
        client.list("LRANGE", "shared:n:tokens", "0", "-1").stream()
            .map(token -> Long.parseLong(String.valueOf(token)))
            .toList();
    assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
    assertThat(shares).as("turns of each process").allMatch(share -> share > 10);
  }

  @Test
  void aHolderThatIsKilledDelaysOthersByItsLeaseAtMost() {
    try (ChildJvm holder =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LEASE.toString())) {
      long token = token(holder);
      holder.kill();
      long start = System.nanoTime();
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LEASE.plusSeconds(1));
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @Test
  void aHolderThatIsPausedPastItsLeaseIsToldWhenItResumes() {
    try (ChildJvm holder =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LEASE.toString())) {
      long token = token(holder);
      holder.pause();
      DistributedLock lock = manager.getLock("k");
      lock.lock(); // after the lease of the paused one
      assertThat(lock.fencingToken()).isGreaterThan(token);
      holder.resume();
      assertThat(holder.awaitLine("lost ", PATIENCE)).startsWith("lost ");
      holder.send("unlock");
      holder.awaitLine("unlock says lost", PATIENCE);
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
    }
  }

  @Test
  void aWaiterThatIsKilledIsSkipped() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm waiter =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LEASE.toString())) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      waiter.kill();
      lock.unlock();
      try (LockManager next = LockManager.create(server.url())) {
        long start = System.nanoTime();
        next.getLock("k").lock();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        next.getLock("k").unlock();
      }
    }
  }

  @Test
  void aWaiterThatIsPausedCostsItsTurnAndNotMore() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm waiter =
            ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", "PT30S");
        LockManager next = LockManager.create(server.url())) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      waiter.pause();
      lock.unlock(); // granted to the paused one
      long start = System.nanoTime();
      next.getLock("k").lock();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      waiter.resume();
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      next.getLock("k").unlock();
      waiter.awaitLine("token ", PATIENCE); // it waited on and got its turn after all
      waiter.send("unlock");
      waiter.awaitLine("unlocked", PATIENCE);
    }
  }

  private static long token(ChildJvm holder) {
    return Long.parseLong(holder.awaitLine("token ", PATIENCE).substring("token ".length()));
  }
}
