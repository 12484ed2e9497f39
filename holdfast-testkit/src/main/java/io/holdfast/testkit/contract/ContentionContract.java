package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockEvent;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many at once: exclusion, order, progress, and nothing left behind by those who give up. */
interface ContentionContract extends ContractFixture {

  @Test
  default void noUpdateIsLostAndEveryProcessComesToItsTurn() {
    int[] counter = {0};
    long[] lastToken = {0};
    int[][] shares = new int[3][1];
    List<LockManager> managers = List.of(manager(), otherManager(), anotherManager());
    List<Future<Boolean>> all = new ArrayList<>();
    AtomicInteger served = new AtomicInteger(); // processes that have had enough turns
    for (int process = 0; process < 3; process++) {
      for (int thread = 0; thread < 3; thread++) {
        DistributedLock lock = managers.get(process).getLock(key());
        int[] share = shares[process];
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      while (served.get() < 3) {
                        lock.lock();
                        try {
                          assertThat(lock.fencingToken()).isGreaterThan(lastToken[0]);
                          lastToken[0] = lock.fencingToken();
                          counter[0]++;
                          if (++share[0] == 200) {
                            served.incrementAndGet();
                          }
                        } finally {
                          lock.unlock();
                        }
                      }
                    }));
      }
    }
    all.forEach(OtherThread::get);
    assertThat(counter[0]).isEqualTo(shares[0][0] + shares[1][0] + shares[2][0]);
  }

  @Test
  default void waitersThatGiveUpAtTheMomentOfTheGrantLeaveNothingBehind() {
    List<Future<Boolean>> all = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    for (LockManager manager : List.of(manager(), otherManager(), anotherManager())) {
      for (int thread = 0; thread < 2; thread++) {
        DistributedLock lock = manager.getLock(key());
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      ThreadLocalRandom random = ThreadLocalRandom.current();
                      while (System.nanoTime() - end < 0) {
                        if (lock.tryLock(random.nextInt(2_000), TimeUnit.MICROSECONDS)) {
                          lock.unlock();
                        }
                      }
                    }));
      }
    }
    all.forEach(OtherThread::get);
    eventually().until(() -> store().leftoversOf(key()).isEmpty());
    assertThat(lock().tryLock()).isTrue();
    lock().unlock();
  }

  @Test
  default void interruptedWaitersLeaveNothingBehind() {
    OtherThread victim = otherThread();
    DistributedLock lock = lock();
    DistributedLock elsewhere = sameLockElsewhere();
    for (int i = 0; i < 100; i++) {
      elsewhere.lock();
      Future<Boolean> attempt =
          victim.start(
              () -> {
                try {
                  lock.lockInterruptibly();
                  lock.unlock();
                  return true;
                } catch (InterruptedException e) {
                  return false;
                } finally {
                  Thread.interrupted();
                }
              });
      if (i % 2 == 0) {
        eventually().until(() -> elsewhere.info().waiters().size() == 1);
      }
      elsewhere.unlock();
      victim.interrupt();
      OtherThread.get(attempt);
    }
    eventually().until(() -> store().leftoversOf(key()).isEmpty());
  }

  @Test
  default void processesThatWaitAreServedInTheOrderInWhichTheyCame() {
    DistributedLock first = sameLockElsewhere();
    first.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    List<LockManager> managers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      LockManager process = store().newManager().build();
      managers.add(process);
      DistributedLock lock = process.getLock(key());
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    lock.lock();
                    order.add(number);
                    lock.unlock();
                  }));
      int expected = i + 1;
      eventually().until(() -> first.info().waiters().size() == expected);
    }
    first.unlock();
    all.forEach(OtherThread::get);
    managers.forEach(LockManager::close);
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  default void aProcessWithManyThreadsDoesNotKeepTheLockFromAnotherThatWaits() throws Exception {
    LockConfig bounded = LockConfig.builder().lockKey(key()).handoffLimit(20).build();
    AtomicBoolean served = new AtomicBoolean();
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      DistributedLock lock = manager().getLock(bounded);
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    while (!served.get()) {
                      lock.lock();
                      lock.unlock();
                    }
                  }));
    }
    try {
      eventually().until(() -> sameLockElsewhere().isLocked());
      assertThat(sameLockElsewhere().tryLock(PATIENCE)).isTrue();
    } finally {
      served.set(true);
    }
    sameLockElsewhere().unlock();
    all.forEach(OtherThread::get);
  }

  @Test
  default void aWaiterOfALockWhoseHolderDisappearedGetsItWhenTheLeaseEnds() throws Exception {
    Lease abandoned = manager().getLock(lasting()).leaseFor(SHORT_LEASE).acquire();
    Lease lease = otherManager().getLock(lasting()).tryAcquire(PATIENCE).orElseThrow();
    assertThat(lease.token()).isGreaterThan(abandoned.token());
    lease.close();
  }

  @Test
  default void eventsTellTheStoryOfALockInOrder() {
    List<LockEvent> events = new CopyOnWriteArrayList<>();
    LockConfig alerted =
        LockConfig.builder()
            .watchdogPeriod(Duration.ofMillis(200))
            .waitAlert(Duration.ofMillis(1))
            .build();
    try (LockManager told = store().newManager().defaults(alerted).listener(events::add).build()) {
      sameLockElsewhere().lock();
      OtherThread other = otherThread();
      Future<Boolean> waiting = other.startRun(() -> told.getLock(key()).lock());
      eventually().until(() -> sameLockElsewhere().info().waiters().size() == 1);
      eventually()
          .until(() -> events.stream().anyMatch(e -> e.kind() == LockEvent.Kind.WAITING_LONG));
      sameLockElsewhere().unlock();
      OtherThread.get(waiting);
      other.run(() -> told.getLock(key()).unlock());
      eventually().until(() -> events.stream().anyMatch(e -> e.kind() == LockEvent.Kind.RELEASED));
      assertThat(events)
          .extracting(LockEvent::kind)
          .containsSubsequence(
              LockEvent.Kind.WAITING_LONG, LockEvent.Kind.ACQUIRED, LockEvent.Kind.RELEASED);
      assertThat(events)
          .filteredOn(e -> !e.key().isEmpty()) // a store that answers late is told without a key
          .allMatch(e -> e.key().equals(key()));
      assertThat(events)
          .filteredOn(e -> e.kind() == LockEvent.Kind.ACQUIRED)
          .allMatch(e -> e.token() > 0 && e.thread().equals(other.thread().getName()));
    }
  }
}
