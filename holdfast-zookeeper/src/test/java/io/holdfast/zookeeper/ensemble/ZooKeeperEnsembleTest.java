package io.holdfast.zookeeper.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.ZooKeeperEnsemble;
import io.holdfast.zookeeper.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Three servers, of which one at a time is lost: the leader and others. */
@Isolated
@Timeout(300)
class ZooKeeperEnsembleTest {
  private final ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start();
  private final List<LockManager> managers = new ArrayList<>();
  private final List<OtherThread> threads = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    threads.forEach(OtherThread::close);
    managers.forEach(LockManager::close);
    ensemble.close();
  }

  private LockManager manager() {
    return manager(ensemble.servers());
  }

  private LockManager manager(String servers) {
    LockManager manager =
        LockManager.builder("zookeeper://" + servers + Patience.LASTING)
            .defaults(
                LockConfig.builder()
                    .leaseTime(Duration.ofMinutes(10))
                    .storeTimeout(Duration.ofMinutes(10))
                    .build())
            .build();
    managers.add(manager);
    return manager;
  }

  private OtherThread thread() {
    OtherThread thread = new OtherThread("other-" + threads.size());
    threads.add(thread);
    return thread;
  }

  private static ConditionFactory eventually() {
    return Patience.eventually().ignoreException(StoreUnavailableException.class);
  }

  @Test
  void holdersAndWaitersSurviveTheLossOfTheLeaderAndThenOfAnotherServer() {
    DistributedLock held = manager().getLock("k");
    held.lock();
    long firstToken = held.fencingToken();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Future<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      DistributedLock lock = manager().getLock("k");
      waiting.add(
          thread()
              .startRun(
                  () -> {
                    lock.lock();
                    assertThat(lock.fencingToken()).isGreaterThan(firstToken);
                    order.add(number);
                    lock.unlock();
                  }));
      eventually().until(() -> held.info().waiters().size() == number + 1);
    }
    int leader = ensemble.awaitLeader();
    ensemble.kill(leader);
    int next = ensemble.awaitLeader();
    assertThat(next).isNotEqualTo(leader);
    eventually().until(() -> held.info().waiters().size() == 3);
    assertThat(held.isHeldByCurrentThread()).isTrue();
    ensemble.restart(leader);
    int third =
        ensemble.ports().stream().filter(p -> p != leader && p != next).findFirst().orElseThrow();
    ensemble.kill(third);
    eventually().until(() -> held.info().waiters().size() == 3);
    assertThat(held.isHeldByCurrentThread()).isTrue();
    held.unlock();
    waiting.forEach(OtherThread::get);
    assertThat(order).containsExactly(0, 1, 2);
  }

  @Test
  void noUpdateIsLostAndTokensGrowWhileLeadersComeAndGo() {
    int[] counter = {0};
    long[] lastToken = {0};
    AtomicBoolean stop = new AtomicBoolean();
    List<Future<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      LockManager manager = manager();
      for (int j = 0; j < 2; j++) {
        all.add(
            thread()
                .start(
                    () -> {
                      int turns = 0;
                      while (!stop.get()) {
                        try (Lease lease = manager.getLock("k").acquire()) {
                          assertThat(lease.token()).isGreaterThan(lastToken[0]);
                          lastToken[0] = lease.token();
                          counter[0]++;
                          turns++;
                        }
                      }
                      return turns;
                    }));
      }
    }
    for (int i = 0; i < 2; i++) {
      int before = counter[0];
      eventually().until(() -> counter[0] > before + 20);
      int leader = ensemble.awaitLeader();
      ensemble.kill(leader);
      ensemble.awaitLeader();
      int after = counter[0];
      eventually().until(() -> counter[0] > after + 20);
      ensemble.restart(leader);
    }
    stop.set(true);
    int turns = all.stream().mapToInt(OtherThread::get).sum();
    assertThat(counter[0]).isEqualTo(turns);
  }

  @Test
  void readersPermitsAndLatchesSurviveTheLossOfTheLeader() {
    LockManager here = manager();
    LockManager there = manager();
    Lease reading = here.getReadWriteLock("rw").readLock().acquire();
    CompletableFuture<Lease> writing = there.getReadWriteLock("rw").writeLock().acquireAsync();
    Lease permit = here.getSemaphore("s", 1).acquire();
    CompletableFuture<Lease> nextPermit = there.getSemaphore("s", 1).acquireAsync(1);
    here.getCountDownLatch("l").trySetCount(2);
    CompletableFuture<Boolean> opened = there.getCountDownLatch("l").awaitAsync();
    eventually().until(() -> here.getReadWriteLock("rw").info().waiters().size() == 1);
    eventually().until(() -> here.getSemaphore("s", 1).info().waiters().size() == 1);

    ensemble.kill(ensemble.awaitLeader());
    ensemble.awaitLeader();

    eventually().until(() -> here.getCountDownLatch("l").getCount() == 2);
    assertThat(here.getCountDownLatch("l").countDown()).isEqualTo(1);
    assertThat(reading.isValid()).isTrue();
    assertThat(permit.isValid()).isTrue();
    assertThat(writing).isNotDone();
    assertThat(nextPermit).isNotDone();
    assertThat(opened).isNotDone();
    assertThat(here.getCountDownLatch("l").countDown()).isZero();
    assertThat(OtherThread.get(opened)).isTrue();
    permit.close();
    OtherThread.get(nextPermit).close();
    reading.close();
    OtherThread.get(writing).close();
  }

  /**
   * A leader answers its own clients before it has applied what it has just told others to commit.
   * Its clients must nevertheless see a latch that a client of another server has set.
   */
  @Test
  void aClientOfTheLeaderSeesALatchThatAClientOfAnotherServerHasSet() {
    int leader = ensemble.awaitLeader();
    int other = ensemble.ports().stream().filter(p -> p != leader).findFirst().orElseThrow();
    LockManager set = manager("127.0.0.1:" + other);
    LockManager ask = manager("127.0.0.1:" + leader);
    for (int i = 0; i < 200; i++) {
      String key = "latch-" + i;
      assertThat(set.getCountDownLatch(key).trySetCount(2)).isTrue();
      CompletableFuture<Boolean> passed = ask.getCountDownLatch(key).awaitAsync();
      assertThat(set.getCountDownLatch(key + "-c").trySetCount(2)).isTrue();
      assertThat(ask.getCountDownLatch(key + "-c").getCount()).as("count %d", i).isEqualTo(2);
      assertThat(set.getCountDownLatch(key + "-d").trySetCount(2)).isTrue();
      assertThat(ask.getCountDownLatch(key + "-d").countDown()).as("left %d", i).isEqualTo(1);
      assertThat(passed).as("await %d", i).isNotDone();
      set.getCountDownLatch(key).forceOpen();
      assertThat(OtherThread.get(passed)).isTrue();
    }
  }
}
