package io.holdfast.bench.hops;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** The process that is looked at: does each operation often enough to be warm, then marked. */
final class WalkedMain {
  /** Classes are loaded, connections are open, scripts are known to the server. */
  private static final int ROUNDS_TO_WARM_UP = 50;

  /** What other threads do meanwhile differs; the shortest walk is the one to read. */
  private static final int MARKED_ROUNDS = 7;

  private WalkedMain() {}

  /** The server's URL is the argument. */
  public static void main(String[] args) throws InterruptedException {
    // A walk takes much longer under a debugger: no lease may end and no alert may come in between.
    LockConfig patient =
        LockConfig.builder()
            .leaseTime(Duration.ofHours(1))
            .watchdogPeriod(Duration.ofHours(1))
            .build();
    try (LockManager manager = LockManager.builder(args[0]).defaults(patient).build()) {
      for (int round = 0; round < ROUNDS_TO_WARM_UP + MARKED_ROUNDS; round++) {
        walk(manager, round >= ROUNDS_TO_WARM_UP);
      }
    }
  }

  private static void walk(LockManager manager, boolean marked) throws InterruptedException {
    DistributedLock lock = manager.getLock("hops:lock");
    walk("lock()", marked, lock::lock);
    walk("lock() again", marked, lock::lock);
    lock.unlock();
    walk("unlock()", marked, lock::unlock);

    lock.lock();
    Thread next = waiter(lock);
    walk("unlock() with a local waiter", marked, lock::unlock);
    next.join();

    Lock read = manager.getReadWriteLock("hops:read-write").readLock();
    walk("readLock().lock()", marked, read::lock);
    read.unlock();

    DistributedSemaphore semaphore = manager.getSemaphore("hops:semaphore", 2);
    Lease[] permit = new Lease[1];
    walk("semaphore.acquire()", marked, () -> permit[0] = semaphore.acquire());
    permit[0].close();
  }

  private static Thread waiter(DistributedLock lock) throws InterruptedException {
    Thread waiter =
        new Thread(
            () -> {
              lock.lock();
              lock.unlock();
            },
            "waiter");
    waiter.start();
    while (lock.info().localWaiters() == 0 || waiter.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return waiter;
  }

  /** Something that may be interrupted. */
  private interface Operation {
    void run() throws InterruptedException;
  }

  private static void walk(String name, boolean marked, Operation operation)
      throws InterruptedException {
    if (marked) {
      Mark.begin(name);
    }
    operation.run();
    if (marked) {
      Mark.end();
    }
  }
}
