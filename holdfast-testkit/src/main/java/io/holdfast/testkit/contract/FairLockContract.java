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
import java.util.function.Function;
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

  private static final int ROUNDS = 4;

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

  /**
   * Plays a scene until its order is the expected one, on a new key and with pauses twice as long
   * each time. A thread that stops in the middle of a call, or a holder that hears of others late,
   * may rightly bring about another order: what is closer together than the longest stop counts as
   * simultaneous. An engine that does not keep the order fails in every round.
   */
  private void inOrder(Function<Round, List<String>> scene, String... expected) {
    List<List<String>> seen = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      List<String> order = scene.apply(new Round(key() + ":" + round, 1 << round));
      if (order.equals(List.of(expected))) {
        return;
      }
      seen.add(order);
    }
    assertThat(seen).as("orders, each time with longer pauses").contains(List.of(expected));
  }

  /**
   * One playing of a scene.
   *
   * @param key the key of the lock
   * @param patience how many times as long as usual its pauses are
   */
  private record Round(String key, int patience) {
    DistributedLock fair(LockManager manager) {
      return manager.getFairLock(key);
    }

    /** Long enough for a clear order. */
    Duration clearlyLater() {
      return CLEARLY_LATER.multipliedBy(patience);
    }

    /** A store that is polled is asked ever more rarely while the lock is held. */
    Duration untilHeard(EngineUnderTest store, long heldSince) {
      Duration held = Duration.ofNanos(System.nanoTime() - heldSince);
      Duration least = store.holdersHearWithin().multipliedBy(patience);
      return held.compareTo(least) > 0 ? held : least;
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aProcessDoesNotPassTheLockOnAmongItsThreadsWhileAnotherProcessWaits() {
    inOrder(this::threadsWhileAnotherProcessWaits, "there", "here", "here", "here");
  }

  private List<String> threadsWhileAnotherProcessWaits(Round round) {
    DistributedLock here = round.fair(manager());
    DistributedLock there = round.fair(otherManager());
    here.lock();
    long heldSince = System.nanoTime();
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    all.add(otherThread().startRun(() -> take(there, "there", order)));
    eventually().until(() -> here.info().waiters().size() == 1);
    for (int i = 1; i <= 3; i++) {
      all.add(otherThread().startRun(() -> take(here, "here", order)));
      int expected = i;
      eventually().until(() -> here.info().localWaiters() == expected);
    }
    pause(round.untilHeard(store(), heldSince));
    here.unlock(); // three threads of this process wait, but the other process came first
    all.forEach(OtherThread::get);
    return order;
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aThreadThatCameBeforeAnotherProcessIsServedBeforeIt() {
    if (store().knowsWhoCameFirst()) {
      inOrder(this::threadsBeforeAnotherProcess, "first", "second", "third", "fourth");
    } else {
      inOrder(this::threadsBeforeAnotherProcess, "third", "first", "second", "fourth");
    }
  }

  private List<String> threadsBeforeAnotherProcess(Round round) {
    DistributedLock here = round.fair(manager());
    DistributedLock there = round.fair(otherManager());
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    here.lock();
    long heldSince = System.nanoTime();
    all.add(otherThread().startRun(() -> take(here, "first", order)));
    eventually().until(() -> here.info().localWaiters() == 1);
    all.add(otherThread().startRun(() -> take(here, "second", order)));
    eventually().until(() -> here.info().localWaiters() == 2);
    pause(round.clearlyLater());
    all.add(otherThread().startRun(() -> take(there, "third", order)));
    eventually().until(() -> here.info().waiters().size() == 1);
    pause(A_MOMENT);
    all.add(otherThread().startRun(() -> take(here, "fourth", order)));
    eventually().until(() -> here.info().localWaiters() == 3);
    pause(round.untilHeard(store(), heldSince));
    here.unlock();
    all.forEach(OtherThread::get);
    return order;
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void whoTakesTheSecondTurnOfItsProcessDoesSoByWhenItCame() {
    if (store().knowsWhoCameFirst()) {
      inOrder(this::secondTurnOfAProcess, "first", "second", "third");
    } else {
      // who has just been granted it may not have heard yet that others wait
      assertThat(secondTurnOfAProcess(new Round(key(), 1)))
          .startsWith("first")
          .containsExactlyInAnyOrder("first", "second", "third");
    }
  }

  private List<String> secondTurnOfAProcess(Round round) {
    DistributedLock holder = round.fair(manager());
    DistributedLock here = round.fair(otherManager());
    DistributedLock there = round.fair(anotherManager());
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<Boolean>> all = new ArrayList<>();
    holder.lock();
    all.add(otherThread().startRun(() -> take(here, "first", order)));
    eventually().until(() -> holder.info().waiters().size() == 1);
    all.add(otherThread().startRun(() -> take(here, "second", order)));
    eventually().until(() -> here.info().localWaiters() == 1);
    pause(round.clearlyLater());
    all.add(otherThread().startRun(() -> take(there, "third", order)));
    eventually().until(() -> holder.info().waiters().size() == 2);
    holder.unlock();
    all.forEach(OtherThread::get);
    return order;
  }

  /** For a lower bound; that it takes longer does no harm. */
  private void pause(Duration time) {
    eventually().atMost(time.plus(PATIENCE)).pollDelay(time).until(() -> true);
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
