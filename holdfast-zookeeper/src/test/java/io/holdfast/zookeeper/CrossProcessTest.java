package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testkit.ZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real processes: they count together, they are killed, they are paused. */
@Timeout(180)
class CrossProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration SESSION = Duration.ofSeconds(5);

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final String shortSessions = server.url() + "?sessionTimeout=5s";
  private final LockManager manager = LockManager.create(server.url());

  @TempDir Path directory;

  @AfterEach
  void close() {
    manager.close();
    server.close();
  }

  private static ChildJvm holder(String url, Duration lease) {
    return ChildJvm.start(LockingProcess.class, "hold", url, "k", lease.toString());
  }

  private static long token(ChildJvm holder) {
    return Long.parseLong(holder.awaitLine("token ", PATIENCE).substring("token ".length()));
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllComeToTheirTurn() throws IOException {
    Path file = directory.resolve("counter");
    Files.writeString(file, "0");
    List<ChildJvm> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(
          ChildJvm.start(
              LockingProcess.class, "count", server.url(), "shared", file.toString(), "PT4S"));
    }
    long sum = 0;
    List<Long> shares = new ArrayList<>();
    for (ChildJvm process : processes) {
      String line = process.awaitLine("counted ", PATIENCE);
      shares.add(Long.parseLong(line.substring("counted ".length())));
      sum += shares.get(shares.size() - 1);
      process.close();
    }
    assertThat(Files.readString(file)).isEqualTo(Long.toString(sum));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::parseLong).toList();
    assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
    assertThat(shares).as("turns of each process").allMatch(share -> share > 0);
  }

  @Test
  void aHolderThatIsKilledDelaysOthersByItsLeaseThoughItsSessionLivesLonger() {
    try (ChildJvm holder = holder(server.url(), LEASE)) {
      long token = token(holder);
      holder.kill();
      long start = System.nanoTime();
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      assertThat(since(start)).isLessThan(LEASE.plusSeconds(4));
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @Test
  void aHolderThatIsKilledDelaysOthersByItsSessionIfItsLeaseIsLonger() {
    try (ChildJvm holder = holder(shortSessions, Duration.ofSeconds(60))) {
      long token = token(holder);
      holder.kill();
      long start = System.nanoTime();
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      assertThat(since(start)).isLessThan(SESSION.plusSeconds(5));
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @Test
  void aHolderThatIsPausedPastItsLeaseIsToldWhenItResumes() {
    try (ChildJvm holder = holder(server.url(), LEASE)) {
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
  void aHolderThatIsPausedPastItsSessionIsToldWhenItResumes() {
    try (ChildJvm holder = holder(shortSessions, Duration.ofSeconds(60))) {
      long token = token(holder);
      holder.pause();
      DistributedLock lock = manager.getLock("k");
      lock.lock(); // when the servers have ended its session
      assertThat(lock.fencingToken()).isGreaterThan(token);
      holder.resume();
      assertThat(holder.awaitLine("lost ", PATIENCE)).startsWith("lost ");
      holder.send("unlock");
      holder.awaitLine("unlock says lost", PATIENCE);
      lock.unlock();
    }
  }

  @Test
  void aWaiterThatIsKilledOrPausedDelaysOthersByItsSessionAtMost() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm killed = holder(shortSessions, Duration.ofSeconds(60))) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      try (ChildJvm paused = holder(shortSessions, Duration.ofSeconds(60));
          LockManager next = LockManager.create(server.url())) {
        Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 2);
        killed.kill();
        paused.pause();
        lock.unlock();
        long start = System.nanoTime();
        next.getLock("k").lock();
        assertThat(since(start)).isLessThan(SESSION.plusSeconds(5));
        paused.resume();
        next.getLock("k").unlock();
        paused.awaitLine("token ", PATIENCE); // it lined up again and got its turn after all
        paused.send("unlock");
        paused.awaitLine("unlocked", PATIENCE);
      }
    }
  }

  @Test
  void aWaiterWithAShortLeaseThatIsPausedIsPassedOverBeforeItsSessionEnds() {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm paused = holder(server.url(), LEASE);
        LockManager next = LockManager.create(server.url())) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      paused.pause();
      lock.unlock();
      long start = System.nanoTime();
      next.getLock("k").lock();
      assertThat(since(start)).isLessThan(Duration.ofSeconds(15)); // a session lives for 30
      next.getLock("k").unlock();
      paused.resume();
      paused.awaitLine("token ", PATIENCE);
      paused.send("unlock");
      paused.awaitLine("unlocked", PATIENCE);
    }
  }
}
