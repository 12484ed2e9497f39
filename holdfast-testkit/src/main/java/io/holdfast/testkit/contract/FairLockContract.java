package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What every engine owes the fair lock: order of arrival, across threads and across processes. */
public abstract class FairLockContract extends EngineContract {

  /**
   * Calls of two processes may count as simultaneous if they are closer than a command takes: some
   * milliseconds, and seconds if the machine is so busy that a thread stops in the middle of it.
   */
  private static final Duration CLEARLY_LATER = Duration.ofSeconds(3);

  /** Enough where the store has the other process before the next thread comes. */
  private static final Duration A_MOMENT = Duration.ofMillis(50);

  /** For subclasses. */
  protected FairLockContract() {}

  private DistributedLock fair(LockManager manager) {
    return manager.getFairLock(key());
  }

  @Test
  void threadsOfOneProcessAreServedInTheOrderInWhichTheyCame() {
    DistributedLock lock = fair(manager());
    lock.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int number = i;
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    lock.lock();
                    order.add(number);
                    lock.unlock();
                  }));
      int expected = i + 1;
      eventually().until(() -> lock.info().localWaiters() == expected);
    }
    lock.unlock();
    all.forEach(OtherThread::get);
    assertThat(order).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void processesAreServedInTheOrderInWhichTheyCame() {
    DistributedLock lock = fair(manager());
    lock.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<Future<Boolean>> all = new ArrayList<>();
    List<LockManager> managers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      int number = i;
      LockManager process = store().newManager().build();
      managers.add(process);
      all.add(
          otherThread()
              .startRun(
                  () -> {
                    fair(process).lock();
                    order.add(number);
                    fair(process).unlock();
                  }));
      int expected = i + 1;
      eventually().until(() -> lock.info().waiters().size() == expected);
    }
    lock.unlock();
    all.forEach(OtherThread::get);
    managers.forEach(LockManager::close);
    assertThat(order).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aProcessDoesNotPassTheLockOnAmongItsThreadsWhileAnotherProcessWaits() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    here.lock();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    all.add(otherThread().startRun(() -> take(there, "there", order)));
    eventually().until(() -> here.info().waiters().size() == 1);
    for (int i = 1; i <= 3; i++) {
      all.add(otherThread().startRun(() -> take(here, "here", order)));
      int expected = i;
      eventually().until(() -> here.info().localWaiters() == expected);
    }
    pause(store().holdersHearWithin());
    here.unlock(); // three threads of this process wait, but the other process came first
    all.forEach(OtherThread::get);
    assertThat(order).containsExactly("there", "here", "here", "here");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aThreadThatCameBeforeAnotherProcessIsServedBeforeIt() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    here.lock();
    all.add(otherThread().startRun(() -> take(here, "first", order)));
    eventually().until(() -> here.info().localWaiters() == 1);
    all.add(otherThread().startRun(() -> take(here, "second", order)));
    eventually().until(() -> here.info().localWaiters() == 2);
    pause(CLEARLY_LATER);
    all.add(otherThread().startRun(() -> take(there, "third", order)));
    eventually().until(() -> here.info().waiters().size() == 1);
    pause(A_MOMENT);
    all.add(otherThread().startRun(() -> take(here, "fourth", order)));
    eventually().until(() -> here.info().localWaiters() == 3);
    pause(store().holdersHearWithin());
    here.unlock();
    all.forEach(OtherThread::get);
    if (store().knowsWhoCameFirst()) {
      assertThat(order).containsExactly("first", "second", "third", "fourth");
    } else {
      assertThat(order).containsExactly("third", "first", "second", "fourth");
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void whoTakesTheSecondTurnOfItsProcessDoesSoByWhenItCame() {
    DistributedLock holder = fair(manager());
    DistributedLock here = fair(otherManager());
    DistributedLock there = fair(anotherManager());
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    holder.lock();
    all.add(otherThread().startRun(() -> take(here, "first", order)));
    eventually().until(() -> holder.info().waiters().size() == 1);
    all.add(otherThread().startRun(() -> take(here, "second", order)));
    eventually().until(() -> here.info().localWaiters() == 1);
    pause(CLEARLY_LATER);
    all.add(otherThread().startRun(() -> take(there, "third", order)));
    eventually().until(() -> holder.info().waiters().size() == 2);
    holder.unlock();
    all.forEach(OtherThread::get);
    if (store().knowsWhoCameFirst()) {
      assertThat(order).containsExactly("first", "second", "third");
    } else {
      // who has just been granted it may not have heard yet that others wait
      assertThat(order).startsWith("first").containsExactlyInAnyOrder("first", "second", "third");
    }
  }

  /** For a lower bound; that it takes longer does no harm. */
  private void pause(Duration time) {
    eventually().pollDelay(time).until(() -> true);
  }

  private static void take(DistributedLock lock, String name, List<String> order) {
    lock.lock();
    order.add(name);
    lock.unlock();
  }

  @Test
  void aWaiterThatLeavesIsSkipped() {
    DistributedLock lock = fair(manager());
    lock.lock();
    OtherThread leaving = otherThread();
    Future<Boolean> gone = leaving.startRun(() -> fair(otherManager()).lockInterruptibly());
    eventually().until(() -> lock.info().waiters().size() == 1);
    OtherThread staying = otherThread();
    Future<Boolean> served = staying.startRun(() -> fair(anotherManager()).lock());
    eventually().until(() -> lock.info().waiters().size() == 2);
    leaving.interrupt();
    eventually().until(() -> lock.info().waiters().size() == 1);
    lock.unlock();
    OtherThread.get(served);
    assertThat(gone).isDone();
    staying.run(() -> fair(anotherManager()).unlock());
  }

  /**
   * The state after a release by a process of which another thread waits, while the other process
   * has waited for longer and holds it now. The grant itself tells the releaser that another
   * process waits, so that it need not hear of it in time.
   *
   * @return what the other thread does
   */
  private <T> Future<T> passedOnToOther(
      DistributedLock here,
      DistributedLock there,
      OtherThread holder,
      Supplier<Future<T>> nextComes) {
    DistributedLock before = fair(anotherManager());
    before.lock();
    OtherThread releaser = otherThread();
    Future<Boolean> granted = releaser.startRun(here::lock);
    eventually().until(() -> before.info().waiters().size() == 1);
    Future<Boolean> passedOn = holder.startRun(there::lock);
    eventually().until(() -> before.info().waiters().size() == 2);
    before.unlock();
    OtherThread.get(granted);
    pause(A_MOMENT);
    Future<T> waiting = nextComes.get();
    eventually().until(() -> waiting.isDone() || here.info().localWaiters() == 1);
    releaser.run(here::unlock);
    OtherThread.get(passedOn);
    return waiting;
  }

  @Test
  void whoComesNextHasItsPlaceBehindTheOtherProcess() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    OtherThread holder = otherThread();
    OtherThread next = otherThread();
    Future<Boolean> waiting = passedOnToOther(here, there, holder, () -> next.startRun(here::lock));
    eventually().until(() -> here.info().waiters().size() == 1);
    assertThat(here.tryLock()).as("it is held by the other").isFalse();
    holder.run(there::unlock);
    OtherThread.get(waiting);
    assertThat(next.check(here::isHeldByCurrentThread)).isTrue();
    next.run(here::unlock);
    assertIsFree(there);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void whoComesNextMayGiveUpWhenItsTimeIsOver() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    OtherThread holder = otherThread();
    Future<Boolean> waiting =
        passedOnToOther(
            here,
            there,
            holder,
            () -> otherThread().start(() -> here.tryLock(5, TimeUnit.SECONDS)));
    assertThat(OtherThread.get(waiting)).isFalse();
    eventually().until(() -> here.info().waiters().isEmpty());
    holder.run(there::unlock);
    assertIsFree(there);
    assertIsFree(here);
  }

  @Test
  void whoComesNextMayBeInterrupted() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    OtherThread holder = otherThread();
    OtherThread next = otherThread();
    Future<Boolean> waiting =
        passedOnToOther(here, there, holder, () -> next.startRun(here::lockInterruptibly));
    next.interrupt();
    assertThatThrownBy(() -> OtherThread.get(waiting))
        .hasCauseInstanceOf(InterruptedException.class);
    eventually().until(() -> here.info().waiters().isEmpty());
    holder.run(there::unlock);
    assertIsFree(there);
    assertIsFree(here);
  }

  @Test
  void whoComesNextMayWantAnotherLease() {
    DistributedLock here = fair(manager());
    DistributedLock there = fair(otherManager());
    OtherThread holder = otherThread();
    OtherThread next = otherThread();
    Future<Boolean> waiting =
        passedOnToOther(
            here, there, holder, () -> next.startRun(() -> here.lock(20, TimeUnit.SECONDS)));
    holder.run(there::unlock);
    OtherThread.get(waiting);
    assertThat(here.info().holder().orElseThrow().remaining())
        .isLessThanOrEqualTo(Duration.ofSeconds(20));
    next.run(here::unlock);
    assertIsFree(there);
  }

  @Test
  void nothingIsLeftOfWhoComesNextWhenItsProcessEnds() {
    DistributedLock there = fair(otherManager());
    OtherThread holder = otherThread();
    try (LockManager process = store().newManager().build()) {
      DistributedLock here = fair(process);
      passedOnToOther(here, there, holder, () -> otherThread().startRun(here::lock));
    }
    eventually().until(() -> there.info().waiters().isEmpty());
    holder.run(there::unlock);
    assertIsFree(there);
  }

  private void assertIsFree(DistributedLock lock) {
    eventually().until(lock::tryLock);
    lock.unlock();
  }

  @Test
  void whoComesAndGoesAllTheTimeLeavesNothingBehind() throws Exception {
    int seconds = 3;
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    List<Future<Boolean>> all = new ArrayList<>();
    for (LockManager process : List.of(manager(), otherManager())) {
      for (int thread = 0; thread < 3; thread++) {
        DistributedLock lock = fair(process);
        all.add(
            otherThread()
                .startRun(
                    () -> {
                      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
                      ThreadLocalRandom random = ThreadLocalRandom.current();
                      while (System.nanoTime() < end) {
                        if (lock.tryLock(random.nextLong(3_000), TimeUnit.MICROSECONDS)) {
                          together.accumulateAndGet(inside.incrementAndGet(), Math::max);
                          inside.decrementAndGet();
                          lock.unlock();
                        }
                      }
                    }));
      }
    }
    all.forEach(OtherThread::get);
    assertThat(together).hasValue(1);
    DistributedLock lock = fair(anotherManager());
    eventually().until(() -> lock.info().waiters().isEmpty());
    assertIsFree(lock);
  }
}
