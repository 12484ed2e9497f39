package io.holdfast.compat.program;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Locks on every server that is named: alone, and in contention between two managers. Afterwards no
 * thread of ours or of a library that we use is left.
 */
public final class Consumer {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Consumer() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    RunningThreads before = RunningThreads.now();
    for (String url : urls) {
      lockOn(url);
      System.out.println("locked on " + url);
    }
    before.awaitEndOfOthers();
  }

  static void lockOn(String url) throws Exception {
    try (LockManager one = LockManager.create(url);
        LockManager two = LockManager.create(url)) {
      lockWith(one, two);
    }
  }

  /** Holds, contends, waits and hands on; says which driver Redis has. */
  public static void lockWith(LockManager one, LockManager two) throws Exception {
    String key = "compat-" + UUID.randomUUID(); // other cases use the same servers
    DistributedLock held = one.getLock(key);
    DistributedLock wanted = two.getLock(key);
    held.lock();
    long first = held.fencingToken();
    RunningThreads.sayDriver();
    check(!wanted.tryLock(), "held by another manager");
    CompletableFuture<Long> next = new CompletableFuture<>();
    Thread waiter =
        new Thread(
            () -> {
              wanted.lock();
              long token = wanted.fencingToken();
              wanted.unlock();
              next.complete(token);
            });
    waiter.start();
    await("a waiter", () -> held.info().waiters().size() == 1);
    check(!next.isDone(), "granted to two");
    held.unlock();
    check(next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) > first, "a larger token");
    waiter.join();
    check(held.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS), "free again");
    held.unlock();
  }

  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("never seen: " + what);
      }
      Thread.sleep(5);
    }
  }

  static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError("not so: " + what);
    }
  }
}
