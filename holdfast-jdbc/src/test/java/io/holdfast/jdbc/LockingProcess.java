package io.holdfast.jdbc;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Another process that uses a lock: {@code hold} acquires it, prints its token, and on request
 * unlocks and prints the outcome; {@code count} counts in a file under the lock for a while.
 */
final class LockingProcess {
  private LockingProcess() {}

  public static void main(String[] args) throws Exception {
    String key = args[2];
    try (LockManager manager = LockManager.builder(args[1]).application("child").build()) {
      if (args[0].equals("hold")) {
        hold(manager, key, Duration.parse(args[3]));
      } else {
        count(manager, key, Path.of(args[3]), Duration.parse(args[4]));
      }
    }
  }

  private static void hold(LockManager manager, String key, Duration lease) throws Exception {
    DistributedLock lock =
        manager.getLock(LockConfig.builder().lockKey(key).leaseTime(lease).build());
    Lease held = lock.acquire();
    System.out.println("token " + held.token()); // also if it is lost by now
    held.onLost(loss -> System.out.println("lost " + loss.reason()));
    if (System.in.read() < 0) {
      return; // the test has ended
    }
    try {
      held.close();
      System.out.println("unlocked");
    } catch (LockLostException e) {
      System.out.println("unlock says lost");
    }
  }

  /**
   * Prints "ready" at the beginning, waits for a file "go", and prints "counted N" at the end. Each
   * step reads, computes and writes, so that any overlap loses an update.
   */
  private static void count(LockManager manager, String key, Path counter, Duration time)
      throws Exception {
    ChildJvm.exitWhenParentDies();
    System.out.println("ready");
    while (!Files.exists(counter.resolveSibling("go"))) {
      Thread.sleep(5);
    }
    long end = System.nanoTime() + time.toNanos();
    ExecutorService pool = Executors.newFixedThreadPool(3);
    List<Future<Integer>> counts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Callable<Integer> work = () -> count(manager.getLock(key), counter, end);
      counts.add(pool.submit(work));
    }
    int total = 0;
    for (Future<Integer> count : counts) {
      total += count.get();
    }
    System.out.println("counted " + total);
    pool.shutdown();
  }

  private static int count(DistributedLock lock, Path counter, long end) throws Exception {
    int steps = 0;
    do { // each thread gets at least one turn
      lock.lock();
      try {
        long value = Long.parseLong(Files.readString(counter).strip());
        Files.writeString(
            counter.resolveSibling("tokens"),
            lock.fencingToken() + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
        Files.writeString(counter, Long.toString(value + 1));
        steps++;
      } finally {
        lock.unlock();
      }
    } while (System.nanoTime() - end < 0);
    return steps;
  }
}
