package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Real processes that count together, are killed, and are paused. An acquire that succeeds within
 * the patience did not wait for the end of a long lease.
 */
@Isolated
@Timeout(900)
class CrossProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final String LONG_LEASE = "PT10M";
  private static final int TURNS_OF_EACH = 50;

  private final RedisServer server = RedisServer.builder().start();
  private final RespClient client = server.client();
  private final LockManager manager = longLeases();

  private LockManager longLeases() {
    LockConfig config = LockConfig.builder().leaseTime(Duration.parse(LONG_LEASE)).build();
    return LockManager.builder(patient(server.url())).defaults(config).build();
  }

  @AfterEach
  void close() {
    manager.close();
    client.close();
    server.close();
  }

  @Test
  void threeProcessesWithThreeThreadsEachLoseNoUpdateAndAllGetTheLock() {
    List<ChildJvm> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      processes.add(ChildJvm.start(LockingProcess.class, "count", server.url(), "shared", "3"));
    }
    for (ChildJvm process : processes) {
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> turnsOf(process) >= TURNS_OF_EACH); // while the others work
    }
    processes.forEach(process -> process.send("stop"));
    long sum = 0;
    for (ChildJvm process : processes) {
      String line = process.awaitLine("counted ", PATIENCE);
      sum += Long.parseLong(line.substring("counted ".length()));
      process.close();
    }
    assertThat(client.call("GET", "shared:n")).isEqualTo(Long.toString(sum));
    List<Long> tokens =
        client.list("LRANGE", "shared:n:tokens", "0", "-1").stream()
            .map(token -> Long.parseLong(String.valueOf(token)))
            .toList();
    assertThat(tokens).hasSize((int) sum).isSorted().doesNotHaveDuplicates();
  }

  private long turnsOf(ChildJvm process) {
    Object turns = client.call("GET", "shared:n:turns:" + process.pid());
    return turns == null ? 0 : Long.parseLong(String.valueOf(turns));
  }

  @Test
  void aKilledHolderDelaysOthersByItsOwnLeaseOnly() throws Exception {
    try (ChildJvm holder =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LEASE.toString())) {
      long token = token(holder);
      holder.kill();
      DistributedLock lock = manager.getLock("k");
      assertThat(lock.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(lock.fencingToken()).isGreaterThan(token);
      lock.unlock();
    }
  }

  @Test
  void aHolderPausedPastItsLeaseLearnsOfTheLossWhenItResumes() {
    try (ChildJvm holder =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LEASE.toString())) {
      long token = token(holder);
      holder.pause();
      DistributedLock lock = manager.getLock("k");
      lock.lock(); // after the lease of the paused holder
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
  void aKilledWaiterIsSkipped() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm waiter =
        ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LONG_LEASE)) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      waiter.kill();
      lock.unlock();
      try (LockManager next = longLeases()) {
        assertThat(next.getLock("k").tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        next.getLock("k").unlock();
      }
    }
  }

  /** The release itself finds that they are gone. The time is printed, for the docs. */
  @Test
  void severalWaitersThatAreKilledAreSkippedByTheRelease() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    List<ChildJvm> waiters = new ArrayList<>();
    try (LockManager next = longLeases()) {
      int connections = connections();
      for (int i = 1; i <= 3; i++) {
        waiters.add(ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LONG_LEASE));
        awaitWaiters(lock, i);
      }
      CompletableFuture<Lease> asked = next.getLock("k").acquireAsync();
      awaitWaiters(lock, 4);
      waiters.forEach(ChildJvm::kill);
      Awaitility.await().atMost(PATIENCE).until(() -> connections() == connections);
      long startedAt = System.nanoTime();
      lock.unlock();
      assertThat(lock.info().holders())
          .singleElement()
          .matches(each -> each.pid() == ProcessHandle.current().pid(), "the living one");
      asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
      System.out.println(
          "passed over three dead waiters in ms: " + (System.nanoTime() - startedAt) / 1_000_000);
    } finally {
      waiters.forEach(ChildJvm::close);
    }
  }

  private static void awaitWaiters(DistributedLock lock, int number) {
    Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == number);
  }

  /** Those of killed processes are closed when the server has noticed. */
  private int connections() {
    return String.valueOf(client.call("CLIENT", "LIST")).trim().split("\n").length;
  }

  @Test
  void aPausedWaiterCostsNoMoreThanItsTurn() throws Exception {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ChildJvm waiter =
            ChildJvm.start(LockingProcess.class, "hold", server.url(), "k", LONG_LEASE);
        LockManager next = longLeases()) {
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      waiter.pause();
      lock.unlock(); // granted to the paused waiter
      assertThat(next.getLock("k").tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      waiter.resume();
      Awaitility.await().atMost(PATIENCE).until(() -> lock.info().waiters().size() == 1);
      next.getLock("k").unlock();
      waiter.awaitLine("token ", PATIENCE); // it went on waiting and got the lock
      waiter.send("unlock");
      waiter.awaitLine("unlock", PATIENCE); // lost, if it was starved
    }
  }

  private static long token(ChildJvm holder) {
    return Long.parseLong(holder.awaitLine("token ", PATIENCE).substring("token ".length()));
  }
}
