package io.holdfast.compat.program;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Locks on every server that is named: alone, and in contention between two managers. Afterwards no
 * thread of ours or of a library that we use is left.
 */
public final class Consumer {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Belongs to the library, stays for the life of the JVM and keeps no JVM alive. */
  private static final Set<String> STAYS =
      Set.of(
          "Common-Cleaner",
          "H2 Close",
          "globalEventExecutor",
          "process reaper",
          "ForkJoinPool.commonPool",
          "CompletableFutureDelayScheduler");

  private Consumer() {}

  /** The entry point. */
  public static void main(String[] urls) throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    for (String url : urls) {
      lockOn(url);
      System.out.println("locked on " + url);
    }
    await("the end of " + newThreads(before), () -> newThreads(before).isEmpty());
  }

  static void lockOn(String url) throws Exception {
    try (LockManager one = LockManager.create(url);
        LockManager two = LockManager.create(url)) {
      lockWith(one, two);
    }
  }

  static void lockWith(LockManager one, LockManager two) throws Exception {
    String key = "compat-" + UUID.randomUUID(); // other cases use the same servers
    DistributedLock held = one.getLock(key);
    DistributedLock wanted = two.getLock(key);
    held.lock();
    long first = held.fencingToken();
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
    check(held.tryLock(5, TimeUnit.SECONDS), "free again");
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

  private static Set<String> newThreads(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive())
        .filter(
            thread ->
                thread.getThreadGroup() != null
                    && !"system".equals(thread.getThreadGroup().getName()))
        .map(Thread::getName)
        .filter(name -> STAYS.stream().noneMatch(name::startsWith))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
