package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.ZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real processes that count together, are killed or are paused. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class CrossProcessTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LONG_LEASE = Duration.ofMinutes(10);

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final String longSessions =
      server.url() + "?sessionTimeout=300s&timeout=30s&connectTimeout=60s";
  private final String shortSessions =
      server.url() + "?sessionTimeout=5s&timeout=30s&connectTimeout=60s";
  private final LockManager manager = LockManager.create(longSessions);

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
    return Long.parseLong(holder.awaitLine("token ", Patience.LIMIT).substring("token ".length()));
  }

  @Test
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllGetTheirTurn() throws IOException {
    Path file = directory.resolve("counter");
    Files.writeString(file, "0");
    List<ChildJvm> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(
          ChildJvm.start(
              LockingProcess.class, "count", longSessions, "shared", file.toString(), "PT3S"));
    }
    for (ChildJvm process : processes) {
      process.awaitLine("ready", Patience.LIMIT);
    }
    Files.createFile(directory.resolve("go"));
    long sum = 0;
    for (ChildJvm process : processes) {
      String line = process.awaitLine("counted ", Patience.LIMIT);
      sum += Long.parseLong(line.substring("counted ".length()));
      process.close();
    }
    assertThat(Files.readString(file)).isEqualTo(Long.toString(sum));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::parseLong).toList();
    assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aKilledHolderDelaysOthersByItsLeaseThoughItsSessionLivesLonger() throws Exception {
    lockPassesOnFromAKilledHolder(longSessions, LEASE);
  }

  @Test
  void aKilledHolderDelaysOthersByItsSessionIfItsLeaseIsLonger() throws Exception {
    lockPassesOnFromAKilledHolder(shortSessions, LONG_LEASE);
  }

  private void lockPassesOnFromAKilledHolder(String url, Duration lease) throws Exception {
    try (ChildJvm holder = holder(url, lease)) {
      long token = token(holder);
      holder.kill();
      DistributedLock lock = manager.getLock("k");
      assertThat(lock.tryLock(Patience.LIMIT)).isTrue();
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @Test
  void aHolderPausedPastItsLeaseLearnsOfTheLossWhenItResumes() {
    pausedHolderLearnsOfTheLoss(longSessions, LEASE);
  }

  @Test
  void aHolderPausedPastItsSessionLearnsOfTheLossWhenItResumes() {
    pausedHolderLearnsOfTheLoss(shortSessions, LONG_LEASE);
  }

  private void pausedHolderLearnsOfTheLoss(String url, Duration lease) {
    try (ChildJvm holder = holder(url, lease)) {
      long token = token(holder);
      holder.pause();
      DistributedLock lock = manager.getLock("k");
      lock.lock(); // after the lease or the session of the paused holder
      assertThat(lock.fencingToken()).isGreaterThan(token);
      holder.resume();
      assertThat(holder.awaitLine("lost ", Patience.LIMIT)).startsWith("lost ");
      holder.send("unlock");
      holder.awaitLine("unlock says lost", Patience.LIMIT);
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
    }
  }

  @Test
  void aKilledOrPausedWaiterDelaysOthersByItsSessionAtMost() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm killed = holder(shortSessions, LONG_LEASE)) {
      Patience.eventually().until(() -> lock.info().waiters().size() == 1);
      try (ChildJvm paused = holder(shortSessions, LONG_LEASE);
          LockManager next = LockManager.create(longSessions)) {
        Patience.eventually().until(() -> lock.info().waiters().size() == 2);
        killed.kill();
        paused.pause();
        lock.unlock();
        assertThat(next.getLock("k").tryLock(Patience.LIMIT)).isTrue();
        paused.resume();
        next.getLock("k").unlock();
        paused.awaitLine("token ", Patience.LIMIT); // it has lined up again and got its turn
        paused.send("unlock");
        paused.awaitLine("unlock", Patience.LIMIT); // lost, if it was starved
      }
    }
  }

  /**
   * The time is printed, for the docs. {@code DeadWaitersTest} shows by a clock what each of them
   * costs.
   */
  @Test
  void killedWaitersWithShortLeasesAreSkippedBeforeTheirSessionsEnd() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    List<ChildJvm> waiters = new ArrayList<>();
    try (LockManager next = LockManager.create(longSessions)) {
      for (int i = 1; i <= 3; i++) {
        waiters.add(holder(longSessions, LEASE));
        int waiting = i;
        Patience.eventually().until(() -> lock.info().waiters().size() == waiting);
      }
      CompletableFuture<Lease> asked = next.getLock("k").acquireAsync();
      Patience.eventually().until(() -> lock.info().waiters().size() == 4);
      waiters.forEach(ChildJvm::kill);
      long startedAt = System.nanoTime();
      lock.unlock();
      asked.get(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS).close(); // sessions: 300 s
      System.out.println(
          "skipped three dead waiters in ms: " + (System.nanoTime() - startedAt) / 1_000_000);
    } finally {
      waiters.forEach(ChildJvm::close);
    }
  }

  @Test
  void aPausedWaiterWithAShortLeaseIsSkippedBeforeItsSessionEnds() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm paused = holder(longSessions, LEASE);
        LockManager next = LockManager.create(longSessions)) {
      Patience.eventually().until(() -> lock.info().waiters().size() == 1);
      paused.pause();
      lock.unlock();
      assertThat(next.getLock("k").tryLock(Patience.LIMIT)).isTrue(); // a session lives for 300 s
      next.getLock("k").unlock();
      paused.resume();
      paused.awaitLine("token ", Patience.LIMIT);
      paused.send("unlock");
      paused.awaitLine("unlock", Patience.LIMIT); // lost, if it was starved
    }
  }
}
