package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Real processes: they count together, they are killed, they are paused. */
@Timeout(120)
class CrossProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LEASE = Duration.ofSeconds(2);

  private String url = "";

  private LockManager open(TestDatabase.Kind kind, String strategy) {
    url =
        TestDatabase.of(kind)
            .urlWith("schema=create", "strategy=" + strategy, "tables=" + TestDatabase.newTables());
    return LockManager.create(url);
  }

  private ChildJvm holder(Duration lease) {
    return ChildJvm.start(LockingProcess.class, "hold", url, "k", lease.toString());
  }

  @ParameterizedTest
  @CsvSource({"SQLITE, pessimistic", "SQLITE, optimistic", "POSTGRES, pessimistic"})
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllComeToTheirTurn(
      TestDatabase.Kind kind, String strategy, @TempDir Path folder) throws Exception {
    Path counter = folder.resolve("counter");
    Files.writeString(counter, "0");
    try (LockManager manager = open(kind, strategy)) {
      manager.getLock("first").lock(); // the tables are there
      manager.getLock("first").unlock();
      List<ChildJvm> processes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        processes.add(
            ChildJvm.start(LockingProcess.class, "count", url, "k", counter.toString(), "PT4S"));
      }
      long sum = 0;
      List<Long> shares = new ArrayList<>();
      for (ChildJvm process : processes) {
        String line = process.awaitLine("counted ", PATIENCE);
        shares.add(Long.parseLong(line.substring("counted ".length())));
        sum += shares.get(shares.size() - 1);
        process.close();
      }
      assertThat(Files.readString(counter)).isEqualTo(Long.toString(sum));
      List<Long> tokens =
          Files.readAllLines(folder.resolve("tokens")).stream().map(Long::parseLong).toList();
      assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
      assertThat(shares).as("turns of each process").allMatch(share -> share > 0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aHolderThatIsKilledDelaysOthersByItsLeaseAtMost(TestDatabase.Kind kind) {
    try (LockManager manager = open(kind, "pessimistic");
        ChildJvm holder = holder(LEASE)) {
      long token = token(holder);
      holder.kill();
      long start = System.nanoTime();
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LEASE.plusSeconds(8));
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aHolderThatIsPausedPastItsLeaseIsToldWhenItResumes(TestDatabase.Kind kind) {
    try (LockManager manager = open(kind, "pessimistic");
        ChildJvm holder = holder(LEASE)) {
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

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aWaiterThatIsKilledCostsItsTurnAndNotMore(TestDatabase.Kind kind) {
    try (LockManager manager = open(kind, "pessimistic");
        LockManager next = LockManager.create(url)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      try (ChildJvm waiter = holder(LEASE)) {
        Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
        waiter.kill();
        lock.unlock(); // granted to the dead one, for a moment
        long start = System.nanoTime();
        next.getLock("k").lock();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
        next.getLock("k").unlock();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aWaiterThatIsPausedCostsItsTurnAndWaitsOn(TestDatabase.Kind kind) {
    try (LockManager manager = open(kind, "pessimistic");
        LockManager next = LockManager.create(url)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      try (ChildJvm waiter = holder(Duration.ofSeconds(30))) {
        Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
        waiter.pause();
        lock.unlock(); // granted to the paused one
        next.getLock("k").lock();
        waiter.resume();
        Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
        next.getLock("k").unlock();
        waiter.awaitLine("token ", PATIENCE); // it waited on and got its turn after all
        waiter.send("unlock");
        waiter.awaitLine("unlocked", PATIENCE);
      }
    }
  }

  private static long token(ChildJvm holder) {
    return Long.parseLong(holder.awaitLine("token ", PATIENCE).substring("token ".length()));
  }
}
