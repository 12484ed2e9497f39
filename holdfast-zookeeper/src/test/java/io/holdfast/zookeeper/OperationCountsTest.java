package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.ZooKeeperNodes;
import io.holdfast.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of a lock in requests and writes, as the server counts them. */
@Timeout(300)
class OperationCountsTest {
  private static final int ROUNDS = 100;

  private final ZooKeeperServer server = ZooKeeperServer.start();
  private final List<LockManager> managers = new ArrayList<>();
  private final ServerCounts counts = new ServerCounts(server);

  /**
   * Of a server with nothing else to do.
   *
   * @param idle how many of the requests may have come from clients that only said that they live
   */
  private record Count(long requests, long writes, long idle) {}

  @AfterEach
  void close() {
    managers.forEach(LockManager::close);
    server.close();
  }

  private LockManager manager() {
    LockManager manager = LockManager.create(server.url() + Patience.LASTING);
    managers.add(manager);
    return manager;
  }

  private Count count(Runnable work) {
    long startedAt = System.nanoTime();
    long requests = counts.requests();
    long transactions = counts.transactions();
    work.run();
    long writes = counts.transactions() - transactions;
    long asked = counts.requests() - requests;
    return new Count(asked, writes, ServerCounts.signsOfLife(startedAt, managers.size()));
  }

  /** Creates the container, and a node that keeps it. */
  private DistributedLock prepared(LockManager manager) {
    DistributedLock lock = manager.getLock("k");
    lock.lock();
    try (ZooKeeperNodes nodes = ZooKeeperNodes.connect(server.servers())) {
      if (nodes.stat("/holdfast/k/kept") == null) {
        nodes.create("/holdfast/k/kept");
      }
    }
    lock.unlock();
    return lock;
  }

  @Test
  void anUncontendedLockAndUnlockAreOneWriteEach() {
    DistributedLock lock = prepared(manager());
    for (int i = 0; i < 3; i++) { // until the process is the sole user
      lock.lock();
      lock.unlock();
    }
    Count count =
        count(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                lock.unlock();
              }
            });
    assertThat(count.writes()).isEqualTo(2 * ROUNDS);
    assertThat(count.requests()).isBetween(2L * ROUNDS, 2L * ROUNDS + ROUNDS / 2 + count.idle());
  }

  @Test
  void twoProcessesThatAlternateReadTheLineOnceForEachLock() {
    DistributedLock one = prepared(manager());
    DistributedLock other = manager().getLock("k");
    Count count =
        count(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                one.lock();
                one.unlock();
                other.lock();
                other.unlock();
              }
            });
    assertThat(count.writes()).isEqualTo(4 * ROUNDS);
    assertThat(count.requests()).isBetween(6L * ROUNDS, 6L * ROUNDS + ROUNDS + count.idle());
  }

  @Test
  void reentryAndQueriesAboutTheOwnHoldSendNothing() {
    DistributedLock lock = prepared(manager());
    lock.lock();
    Count count =
        count(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                lock.lock();
                assertThat(lock.isHeldByCurrentThread()).isTrue();
                lock.unlock();
              }
            });
    assertThat(count.writes()).isZero();
    assertThat(count.requests()).isLessThan(10 + count.idle()); // the watch, and perhaps a ping
    lock.unlock();
  }

  @Test
  void anAttemptThatDoesNotWaitCreatesNoNodeAtABusyLock() {
    DistributedLock lock = prepared(manager());
    DistributedLock elsewhere = manager().getLock("k");
    lock.lock();
    Count count =
        count(
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                assertThat(elsewhere.tryLock()).isFalse();
              }
            });
    assertThat(count.writes()).as("checks, which change nothing").isEqualTo(ROUNDS);
    assertThat(count.requests()).isLessThan(4L * ROUNDS + 20 + count.idle());
    lock.unlock();
  }

  @Test
  void theCostOfAContendedAcquisitionDoesNotGrowWithTheWaiters() {
    Count few = contended(3);
    Count many = contended(12);
    assertThat(few.writes()).isEqualTo(2 * 3);
    assertThat(many.writes()).isEqualTo(2 * 12);
    assertThat(many.requests()).isLessThan(12 * 9L + many.idle());
  }

  @Test
  void aWaiterSendsNothingWhenItsTurnComes() throws Exception {
    LockManager here = manager();
    LockManager there = manager();
    prepared(here);
    Lease held = here.getLock("k").acquire();
    List<Long> requests = new ArrayList<>();
    int rounds = 20;
    for (int i = 0; i < rounds; i++) {
      CompletableFuture<Lease> next = (i % 2 == 0 ? there : here).getLock("k").acquireAsync();
      Patience.eventually().until(() -> counts.isSomebodyWatched("k"));
      long before = counts.requests();
      held.close();
      held = next.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
      requests.add(counts.requests() - before);
    }
    held.close();
    assertThat(requests).as("a delete, and nothing else").contains(1L);
  }

  /** The cost of this many processes that wait behind a holder and acquire in turn. */
  private Count contended(int processes) {
    DistributedLock lock = prepared(manager());
    List<DistributedLock> locks = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      locks.add(manager().getLock("k"));
    }
    lock.lock();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    long startedAt = System.nanoTime();
    long waiting = counts.requests();
    long transactions = counts.transactions();
    for (DistributedLock each : locks) {
      all.add(each.acquireAsync().thenCompose(Lease::closeAsync));
    }
    Patience.eventually()
        .pollInterval(Duration.ofMillis(200))
        .until(() -> counts.transactions() - transactions == processes);
    lock.unlock();
    all.forEach(CompletableFuture::join);
    Count count =
        new Count(
            counts.requests() - waiting,
            counts.transactions() - transactions - 1,
            ServerCounts.signsOfLife(startedAt, managers.size()));
    managers.forEach(LockManager::close);
    managers.clear();
    return count;
  }

  @Test
  void renewingManyLocksWritesNothing() throws Exception {
    LockManager manager = manager();
    List<Lease> leases = new ArrayList<>();
    CountDownLatch renewed = new CountDownLatch(200);
    OtherThread other = new OtherThread("other");
    Future<Boolean> taking =
        other.startRun(
            () -> {
              for (int i = 0; i < 200; i++) {
                LockConfig config =
                    LockConfig.builder()
                        .lockKey("many:" + i)
                        .leaseTime(Duration.ofSeconds(30)) // as long as the session is sure to live
                        .renewalTime(Duration.ofSeconds(2))
                        .build();
                leases.add(manager.getLock(config).acquire());
              }
            });
    OtherThread.get(taking);
    long transactions = counts.transactions();
    manager.addListener(
        event -> {
          if (event.kind() == LockEvent.Kind.RENEWED) {
            renewed.countDown();
          }
        });
    assertThat(renewed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(counts.transactions()).isEqualTo(transactions);
    leases.forEach(Lease::close);
    other.close();
  }

  @Test
  void countingDownIsOneWriteHoweverManyWaitersThereAre() {
    LockManager manager = manager();
    DistributedCountDownLatch latch = manager.getCountDownLatch("k");
    latch.trySetCount(ROUNDS + 1);
    Count alone = count(() -> countDown(latch, ROUNDS / 2));

    try (LockManager many = LockManager.create(server.url() + Patience.LASTING)) {
      List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        waiting.add(many.getCountDownLatch("k").awaitAsync());
      }
      Patience.eventually().until(() -> latch.info().waiters().size() == 20);
      Count watched = count(() -> countDown(latch, ROUNDS / 2));
      assertThat(watched.writes()).isEqualTo(alone.writes()).isEqualTo(ROUNDS / 2);
      latch.countDown();
      waiting.forEach(each -> assertThat(each.join()).isTrue());
    }
  }

  private static void countDown(DistributedCountDownLatch latch, int times) {
    for (int i = 0; i < times; i++) {
      latch.countDown();
    }
  }
}
