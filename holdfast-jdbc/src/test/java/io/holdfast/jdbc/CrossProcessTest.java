package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Real processes that count together, are killed or are paused. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class CrossProcessTest {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LONG_LEASE = Duration.ofMinutes(10);

  /** The server ends the transaction of a paused process after twice this time. */
  private static final String TIMEOUT = "timeout=8s";

  private String url = "";

  private LockManager open(TestDatabase.Kind kind, String strategy) {
    url =
        TestDatabase.of(kind)
            .urlWith(
                TIMEOUT,
                "schema=create",
                "strategy=" + strategy,
                "tables=" + TestDatabase.newTables());
    return LockManager.create(url);
  }

  private ChildJvm holder(Duration lease) {
    return ChildJvm.start(LockingProcess.class, "hold", url, "k", lease.toString());
  }

  @ParameterizedTest
  @CsvSource({"SQLITE, pessimistic", "SQLITE, optimistic", "POSTGRES, pessimistic"})
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllGetTheirTurn(
      TestDatabase.Kind kind, String strategy, @TempDir Path folder) throws Exception {
    Path counter = folder.resolve("counter");
    Files.writeString(counter, "0");
    try (LockManager manager = open(kind, strategy)) {
      manager.getLock("first").lock(); // the tables exist
      manager.getLock("first").unlock();
      List<ChildJvm> processes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        processes.add(
            ChildJvm.start(LockingProcess.class, "count", url, "k", counter.toString(), "PT3S"));
      }
      for (ChildJvm process : processes) {
        process.awaitLine("ready", Patience.LIMIT);
      }
      Files.createFile(folder.resolve("go"));
      long sum = 0;
      for (ChildJvm process : processes) {
        String line = process.awaitLine("counted ", Patience.LIMIT);
        sum += Long.parseLong(line.substring("counted ".length()));
        process.close();
      }
      assertThat(Files.readString(counter)).isEqualTo(Long.toString(sum));
      List<Long> tokens =
          Files.readAllLines(folder.resolve("tokens")).stream().map(Long::parseLong).toList();
      assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aKilledHolderDelaysOthersByItsLeaseAtMost(TestDatabase.Kind kind) throws Exception {
    try (LockManager manager = open(kind, "pessimistic");
        ChildJvm holder = holder(LEASE)) {
      long token = token(holder);
      holder.kill();
      DistributedLock lock = manager.getLock("k");
      assertThat(lock.tryLock(Patience.LIMIT)).isTrue();
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aHolderPausedPastItsLeaseLearnsOfTheLossWhenItResumes(TestDatabase.Kind kind) {
    try (LockManager manager = open(kind, "pessimistic");
        ChildJvm holder = holder(LEASE)) {
      long token = token(holder);
      holder.pause();
      DistributedLock lock = manager.getLock("k");
      lock.lock(); // after the lease of the paused holder
      assertThat(lock.fencingToken()).isGreaterThan(token);
      holder.resume();
      assertThat(holder.awaitLine("lost ", Patience.LIMIT)).startsWith("lost ");
      holder.send("unlock");
      holder.awaitLine("unlock says lost", Patience.LIMIT);
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aKilledWaiterDelaysOthersByItsTurnNotByItsLease(TestDatabase.Kind kind) throws Exception {
    try (LockManager manager = open(kind, "pessimistic");
        LockManager next = LockManager.create(url)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      try (ChildJvm waiter = holder(LONG_LEASE)) {
        Patience.eventually().until(() -> lock.info().waiters().size() == 1);
        waiter.kill();
        lock.unlock(); // granted to the dead waiter, for a moment
        assertThat(next.getLock("k").tryLock(Patience.LIMIT)).isTrue();
        next.getLock("k").unlock();
      }
    }
  }

  /**
   * The time is printed, for the docs. That dead waiters are removed together, and delay others by
   * one turn, depends on when the living one asks: {@code ResourceStateTest} shows it by a clock.
   */
  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void severalKilledWaitersDoNotDelayOthersByTheirLeases(TestDatabase.Kind kind) throws Exception {
    List<ChildJvm> waiters = new ArrayList<>();
    try (LockManager manager = open(kind, "optimistic");
        LockManager next = LockManager.create(url)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      for (int i = 1; i <= 3; i++) {
        waiters.add(holder(LONG_LEASE));
        int waiting = i;
        Patience.eventually().until(() -> lock.info().waiters().size() == waiting);
      }
      CompletableFuture<Lease> asked = next.getLock("k").acquireAsync();
      Patience.eventually().until(() -> lock.info().waiters().size() == 4);
      waiters.forEach(ChildJvm::kill);
      long startedAt = System.nanoTime();
      lock.unlock();
      asked.get(Patience.LIMIT.toMillis(), TimeUnit.MILLISECONDS).close();
      System.out.println(
          kind
              + ": skipped three dead waiters in ms: "
              + (System.nanoTime() - startedAt) / 1_000_000);
    } finally {
      waiters.forEach(ChildJvm::close);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES"})
  void aPausedWaiterLosesItsTurnAndKeepsWaiting(TestDatabase.Kind kind) throws Exception {
    try (LockManager manager = open(kind, "pessimistic");
        LockManager next = LockManager.create(url)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      try (ChildJvm waiter = holder(LONG_LEASE)) {
        Patience.eventually().until(() -> lock.info().waiters().size() == 1);
        waiter.pause();
        lock.unlock(); // granted to the paused waiter
        assertThat(next.getLock("k").tryLock(Patience.LIMIT)).isTrue();
        waiter.resume();
        Patience.eventually().until(() -> lock.info().waiters().size() == 1);
        next.getLock("k").unlock();
        waiter.awaitLine("token ", Patience.LIMIT); // it has kept waiting and got its turn
        waiter.send("unlock");
        waiter.awaitLine("unlock", Patience.LIMIT); // lost, if it was starved
      }
    }
  }

  private static long token(ChildJvm holder) {
    return Long.parseLong(holder.awaitLine("token ", Patience.LIMIT).substring("token ".length()));
  }
}
