package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The first waiter is served first, whatever happens in between.
 *
 * <p>Two processes compare arrivals by the clock of the server. The error is the duration of the
 * command that told them the time, so arrivals here lie further apart than any command takes.
 */
@Isolated
@Timeout(400)
class RedisArrivalOrderTest {
  private static final Duration CLEARLY_LATER = Duration.ofMillis(20);

  private long longestCall;
  private final List<LockManager> managers = new ArrayList<>();
  private final List<OtherThread> threads = new ArrayList<>();
  private final List<Future<Boolean>> calls = new ArrayList<>();
  private final List<String> served = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    managers.forEach(LockManager::close);
    threads.forEach(OtherThread::close);
  }

  private LockManager manager() {
    LockManager manager = LockManager.create(patient(RedisServer.shared().url()));
    managers.add(manager);
    return manager;
  }

  private DistributedLock process(String key) {
    return manager().getFairLock(key);
  }

  private OtherThread thread() {
    OtherThread thread = new OtherThread("thread " + threads.size());
    threads.add(thread);
    return thread;
  }

  private void comes(String name, DistributedLock lock, int waitingHere, int waitingInStore) {
    pauseForClearlyLater();
    calls.add(thread().startRun(() -> take(name, lock)));
    eventually()
        .until(
            () ->
                lock.info().localWaiters() == waitingHere
                    && lock.info().waiters().size() == waitingInStore);
  }

  private void take(String name, DistributedLock lock) {
    lock.lock();
    served.add(name);
    lock.unlock();
  }

  /** Longer than any command takes that tells a process the server's time. */
  private void pauseForClearlyLater() {
    pause(CLEARLY_LATER.plusNanos(longestCall));
  }

  /** A call whose answer tells a process the server's time. */
  private void timed(Runnable call) {
    long start = System.nanoTime();
    call.run();
    longestCall = Math.max(longestCall, System.nanoTime() - start);
  }

  private static void pause(Duration time) {
    Awaitility.await().atMost(time.plusSeconds(60)).pollDelay(time).until(() -> true);
  }

  @Test
  void aTryLockDoesNotInterceptAHandoff() {
    for (int round = 0; round < 10; round++) {
      String key = UUID.randomUUID().toString();
      DistributedLock here = process(key);
      DistributedLock there = process(key);
      timed(here::lock);
      for (int i = 1; i <= 5; i++) {
        comes("here", here, i, 0);
      }
      comes("there", there, 0, 1);
      AtomicBoolean done = new AtomicBoolean();
      Future<Boolean> trying =
          thread()
              .startRun(
                  () -> {
                    while (!done.get()) {
                      if (here.tryLock()) {
                        here.unlock();
                      }
                    }
                  });
      here.unlock();
      calls.forEach(OtherThread::get);
      done.set(true);
      OtherThread.get(trying);
      assertThat(served).containsExactly("here", "here", "here", "here", "here", "there");
      served.clear();
      calls.clear();
    }
  }

  /** At first no process knows the server's clock; then only a later waiter reports its time. */
  @Test
  void aHolderThatDoesNotKnowSinceWhenTheFirstWaiterWaitsKeepsTheOrder() {
    String key = UUID.randomUUID().toString();
    DistributedLock here = process(key);
    here.lock();
    pause(Duration.ofMillis(2300)); // the sample of the server's clock is too old
    DistributedLock there = process(key);
    comes("first", there, 0, 1);
    comes("second", here, 1, 1);
    comes("third", here, 2, 1);
    try (LockManager same = managers.get(0)) {
      timed(() -> same.getLock(key + "-another").lock()); // now the clock is known
      comes("fourth", process(key), 0, 2);
      here.unlock();
      calls.forEach(OtherThread::get);
    }
    assertThat(served).containsExactly("first", "second", "third", "fourth");
  }

  /** Neither thread sees the other one arrive, and yet one of them has to wait. */
  @Test
  void theSecondOfTwoSimultaneousThreadsIsServedBeforeALaterProcess() {
    LockManager here = manager();
    LockManager there = manager();
    for (int round = 0; round < 200; round++) {
      long began = System.nanoTime();
      String key = UUID.randomUUID().toString();
      DistributedLock lock = here.getFairLock(key);
      AtomicInteger arrived = new AtomicInteger();
      CountDownLatch unlock = new CountDownLatch(1);
      for (OtherThread each : List.of(reused(0), reused(1))) {
        calls.add(
            each.startRun(
                () -> {
                  arrived.incrementAndGet();
                  while (arrived.get() < 2) {
                    Thread.onSpinWait(); // a wake-up would be too late for one of them
                  }
                  lock.lock();
                  served.add("together");
                  unlock.await();
                  lock.unlock();
                }));
      }
      eventually().until(() -> served.size() == 1 && lock.info().localWaiters() == 1);
      pause(Duration.ofNanos(System.nanoTime() - began).plusMillis(5));
      calls.add(reused(2).startRun(() -> take("later", there.getFairLock(key))));
      eventually().until(() -> lock.info().waiters().size() == 1);
      unlock.countDown();
      calls.forEach(OtherThread::get);
      assertThat(served).as("round %s", round).containsExactly("together", "together", "later");
      served.clear();
      calls.clear();
    }
  }

  private OtherThread reused(int index) {
    while (threads.size() <= index) {
      thread();
    }
    return threads.get(index);
  }

  private static ConditionFactory eventually() {
    return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(1));
  }
}
