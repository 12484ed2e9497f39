package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import io.holdfast.testkit.OtherThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What every engine owes the fair lock: order of arrival, across threads and across processes. */
public abstract class FairLockContract extends EngineContract {

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
    Duration until = store().holdersHearWithin();
    eventually().pollDelay(until).until(() -> here.info().localWaiters() == 3);
    here.unlock(); // three threads of this process wait, but the other process came first
    all.forEach(OtherThread::get);
    assertThat(order).containsExactly("there", "here", "here", "here");
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
}
