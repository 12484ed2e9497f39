package io.holdfast.cli.demo;

import io.holdfast.DistributedLock;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * One thread of a worker process, which sells until nothing is left: look how many items there are,
 * think, write down that there is one less. Two who do this at the same time sell the same item,
 * unless a lock keeps them apart.
 */
final class Seller {
  /** How long a seller thinks about a sale. */
  static final Duration SHORTEST_THOUGHT = Duration.ofMillis(1);

  static final Duration LONGEST_THOUGHT = Duration.ofMillis(3);

  private final RedisCommands<String, String> redis;
  private final DemoKeys keys;
  private final DistributedLock lock;
  private final Histogram waits = WorkerReport.newHistogram();

  Seller(RedisCommands<String, String> redis, DemoKeys keys, DistributedLock lock) {
    this.redis = redis;
    this.keys = keys;
    this.lock = lock;
  }

  /** Sells out, and returns how long it waited for each lock, in nanoseconds. */
  Histogram sell(Round round) {
    boolean more = true;
    while (more) {
      more = round == Round.WITH_LOCK ? sellOneWithLock() : sellOne();
    }
    return waits;
  }

  private boolean sellOneWithLock() {
    long start = System.nanoTime();
    lock.lock();
    try {
      waits.recordValue(System.nanoTime() - start);
      return sellOne();
    } finally {
      lock.unlock();
    }
  }

  private boolean sellOne() {
    int left = Integer.parseInt(redis.get(keys.stock()));
    if (left <= 0) {
      return false;
    }
    think();
    redis.set(keys.stock(), String.valueOf(left - 1), SetArgs.Builder.ex(Shop.FORGOTTEN_AFTER));
    redis.rpush(keys.sold(), String.valueOf(left));
    return true;
  }

  private static void think() {
    LockSupport.parkNanos(
        ThreadLocalRandom.current()
            .nextLong(SHORTEST_THOUGHT.toNanos(), LONGEST_THOUGHT.toNanos() + 1));
  }
}
