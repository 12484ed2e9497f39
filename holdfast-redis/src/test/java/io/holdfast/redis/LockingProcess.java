package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Another process that uses a lock. {@code hold} acquires it, prints its token, and on request
 * prints the result of unlock(); {@code both} acquires one lock and, on request, another; {@code
 * count} counts in a plain Redis key under the lock until it is stopped.
 */
final class LockingProcess {
  private LockingProcess() {}

  public static void main(String[] args) throws Exception {
    String url = args[1];
    String key = args[2];
    try (LockManager manager = LockManager.builder(patient(url)).application("child").build()) {
      if (args[0].equals("hold")) {
        hold(manager, key, Duration.parse(args[3]));
      } else if (args[0].equals("both")) {
        lockBoth(manager, key, args[3]);
      } else {
        count(manager, url, key, Integer.parseInt(args[3]));
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

  private static void lockBoth(LockManager manager, String first, String second) throws Exception {
    manager.getLock(first).lock();
    System.out.println("holds " + first);
    if (System.in.read() < 0) {
      return; // the test has ended
    }
    manager.getLock(second).lock();
    System.out.println("holds " + second);
  }

  /**
   * Prints "counted N" at the end. Each step reads, thinks, writes: any overlap loses an update.
   */
  private static void count(LockManager manager, String url, String key, int threads)
      throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<Integer>> counts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Callable<Integer> work = () -> count(manager.getLock(key), url, key + ":n", stop);
      counts.add(pool.submit(work));
    }
    int told = System.in.read();
    stop.set(true);
    if (told < 0) {
      System.exit(ChildJvm.PARENT_GONE);
    }
    int total = 0;
    for (Future<Integer> count : counts) {
      total += count.get();
    }
    System.out.println("counted " + total);
    pool.shutdown();
  }

  private static int count(DistributedLock lock, String url, String counter, AtomicBoolean stop) {
    int steps = 0;
    try (RespClient redis = RespClient.connect(url)) {
      while (!stop.get()) {
        lock.lock();
        try {
          Object value = redis.call("GET", counter);
          long next = value == null ? 1 : Long.parseLong(String.valueOf(value)) + 1;
          redis.call("RPUSH", counter + ":tokens", Long.toString(lock.fencingToken()));
          redis.call("SET", counter, Long.toString(next));
          redis.call("INCR", counter + ":turns:" + ProcessHandle.current().pid());
          steps++;
        } finally {
          lock.unlock();
        }
      }
    }
    return steps;
  }
}
