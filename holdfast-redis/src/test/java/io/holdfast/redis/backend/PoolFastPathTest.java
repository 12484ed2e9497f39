package io.holdfast.redis.backend;

import io.holdfast.redis.OwnRedisServer;
import io.holdfast.testservers.RedisSubscription;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fast paths of pool_acquire.lua and pool_release.lua leave what the rest of the scripts would
 * leave: data, lifetimes, tick, message, answer.
 */
@Isolated
class PoolFastPathTest {
  private static final int ALL = 1_000_000;
  private static final long LONG = 600_000;
  private static final long SOME = 100_000;

  @RegisterExtension static final OwnRedisServer SERVER = new OwnRedisServer();

  /** A step on a pool of this kind. */
  private record PoolStep(String kind, int declared, FastPathStep<PoolCalls> step) {
    @Override
    public String toString() {
      return kind + ": " + step;
    }
  }

  private static PoolStep fast(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new PoolStep("semaphore", 3, FastPathStep.fast(name, before, act));
  }

  private static PoolStep slow(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new PoolStep("semaphore", 3, FastPathStep.slow(name, before, act));
  }

  private static PoolStep fastReadWrite(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new PoolStep("read-write", ALL, FastPathStep.fast(name, before, act));
  }

  private static PoolStep slowReadWrite(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new PoolStep("read-write", ALL, FastPathStep.slow(name, before, act));
  }

  static Stream<PoolStep> acquisitions() {
    Function<PoolCalls, Object> one = pool -> pool.acquire("b:1", 1, SOME).granted();
    Function<PoolCalls, Object> three = pool -> pool.acquire("b:1", 3, SOME).granted();
    Function<PoolCalls, Object> write = pool -> pool.acquire("b:1", ALL, SOME).granted();
    Consumer<PoolCalls> held = pool -> pool.acquire("a:1", 1, LONG);
    return Stream.of(
        fast("one of a free semaphore", pool -> {}, one),
        fast("all of a free semaphore", pool -> {}, three),
        fastReadWrite("a free write lock", pool -> {}, write),
        fastReadWrite("a free read lock", pool -> {}, one),
        fast("a lease of a second", pool -> {}, p -> p.acquire("b:1", 1, 1000).granted()),
        slow("a shorter lease", pool -> {}, p -> p.acquire("b:1", 1, 999).granted()),
        fast("beside one with a longer lease", held, one),
        fast("beside one with a shorter lease", pool -> pool.acquire("a:1", 1, 30_000), one),
        fast("beside one with a tiny lease", held, p -> p.acquire("b:1", 1, 500).granted()),
        fastReadWrite("a reader beside a reader", held, one),
        fast("the last permit", pool -> pool.acquire("a:1", 2, LONG), one),
        fast("beside a lease removed by hand", pool -> removeLease(held, pool), one),
        slow("no permit left", pool -> pool.acquire("a:1", 3, LONG), one),
        slow("not enough left", held, three),
        slowReadWrite("a writer beside a reader", held, write),
        slowReadWrite("a reader beside a writer", p -> p.acquire("a:1", ALL, LONG), one),
        slow("more than declared", pool -> {}, p -> p.acquire("b:1", 4, SOME).granted()),
        slow("what is mine already", pool -> pool.acquire("b:1", 1, LONG), one),
        slow("more of what is mine", pool -> pool.acquire("b:1", 1, LONG), three),
        slow("others wait", pool -> waits(held, pool), one),
        slow("others wait for what nobody holds", PoolFastPathTest::waitsForNothing, one),
        slow("a lease is over", pool -> leaseOver(held, pool), three),
        slow("a lease is over, and yet it fits", pool -> leaseOver(held, pool), one),
        slow("leases of a pool that is gone", pool -> goneByHand(held, pool), one),
        slow("a raised limit", pool -> limited(held, pool, 5), one),
        slow("a lowered limit", pool -> limited(held, pool, 1), one),
        slow("a limit set back", pool -> setBack(pool), one),
        slow("another number declared", pool -> set(held, pool, "@declared", "4"), one),
        slow("another kind", pool -> set(held, pool, "@kind", "read-write"), one),
        slow("another limit", pool -> set(held, pool, "@limit", "2"), one),
        slow("a lock", pool -> pool.scripts.acquire("a:1"), one),
        fast("a text, which is refused", PoolFastPathTest::text, one),
        slow("a fence ahead", pool -> pool.scripts.fence(9_000_000_000_000_000L), one),
        slow("a fence far ahead", pool -> pool.scripts.fence("10000000000000000"), one),
        slow("a fence that is new", PoolFastPathTest::noFence, one),
        slow("a fence of garbage", pool -> pool.scripts.fence("not a number"), one));
  }

  static Stream<PoolStep> releases() {
    Function<PoolCalls, Object> release = pool -> pool.release("b:1");
    Consumer<PoolCalls> alone = pool -> pool.acquire("b:1", 2, SOME);
    Consumer<PoolCalls> both = alone.andThen(pool -> pool.acquire("a:1", 1, LONG));
    return Stream.of(
        fast("the only holder", alone, release),
        fastReadWrite("a writer", pool -> pool.acquire("b:1", ALL, SOME), release),
        fastReadWrite("a writer that reads", PoolFastPathTest::lessened, release),
        fast("beside one with a longer lease", both, release),
        fast("beside one with a shorter lease", both, pool -> pool.release("a:1")),
        fast("after a renewal", both.andThen(pool -> pool.renew("a:1", 1)), release),
        slow("again", alone.andThen(pool -> pool.release("b:1")), release),
        slow("by another", pool -> pool.acquire("a:1", 1, LONG), release),
        slow("of nothing", pool -> {}, release),
        slow("others wait", both.andThen(pool -> pool.await("c:1", 2, LONG)), release),
        slow("the own lease is over", pool -> over(alone, pool, "b:1"), release),
        slow("the own lease of two is over", pool -> over(both, pool, "b:1"), release),
        slow("another lease is over", pool -> over(both, pool, "a:1"), release),
        fast("the own lease was removed by hand", pool -> unleased(alone, pool, "b:1"), release),
        slow("the own of two leases was removed", p -> unleased(both, p, "b:1"), release),
        slow("another lease was removed by hand", p -> unleased(both, p, "a:1"), release),
        slow("the hold was removed by hand", pool -> unheld(both, pool, "b:1"), release),
        slow("a raised limit", pool -> limited(alone, pool, 5), release),
        slow("a lowered limit, with others", pool -> limited(both, pool, 2), release),
        fast("a text, which is refused", PoolFastPathTest::text, release));
  }

  private static void text(PoolCalls pool) {
    pool.scripts.redis.call("SET", pool.key, "x");
  }

  private static void noFence(PoolCalls pool) {
    pool.scripts.redis.call("DEL", RedisKeys.FENCE);
  }

  @ParameterizedTest
  @MethodSource("acquisitions")
  void anAcquireLeavesTheSameWithAndWithoutItsFastPath(PoolStep step) {
    step.step.check(fastPath -> run(step, fastPath));
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aReleaseLeavesTheSameWithAndWithoutItsFastPath(PoolStep step) {
    step.step.check(fastPath -> run(step, fastPath));
  }

  /**
   * Leases of half a second are in play. A run during which the machine stood still for half of
   * that says nothing about scripts, and is repeated.
   */
  private static Map<String, Object> run(PoolStep step, FastPath fastPath) {
    for (int attempt = 0; attempt < 100; attempt++) {
      long began = System.nanoTime();
      Map<String, Object> seen = runOnce(step, fastPath);
      if (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(250)) {
        return seen;
      }
    }
    throw new AssertionError("no run of '" + step + "' took less than 250 ms");
  }

  private static Map<String, Object> runOnce(PoolStep step, FastPath fastPath) {
    ScriptCalls scripts = new ScriptCalls(SERVER.get(), "pool \"of\" / \u00e9");
    scripts.redis.call("FLUSHALL");
    try (PoolCalls pool = new PoolCalls(scripts, step.kind, step.declared, ScriptCalls.WINDOW)) {
      String channel = "lock:release:" + pool.key;
      try (RedisSubscription releases = scripts.redis.subscribe(channel)) {
        scripts.fence("1000000000000000"); // long ago
        step.step.before().accept(pool);
        scripts.use(fastPath);
        Map<String, Object> seen = new TreeMap<>();
        step.step.outcome(pool, scripts, seen);
        seen.put("releases", FastPathStep.announcements(scripts.upToNow(releases, channel)));
        state(pool, seen);
        return seen;
      }
    }
  }

  /** Everything in the store, without what differs from run to run. */
  private static void state(PoolCalls pool, Map<String, Object> seen) {
    ScriptCalls scripts = pool.scripts;
    seen.put("keys", scripts.redis.list("KEYS", "*").stream().sorted().toList());
    if ("hash".equals(scripts.redis.call("TYPE", pool.key))) {
      Map<String, String> fence = scripts.hash(RedisKeys.FENCE);
      long last = Long.parseLong(fence.getOrDefault(ScriptCalls.bucket(pool.key), "0"));
      scripts
          .data()
          .forEach((field, value) -> seen.put(ScriptCalls.nameOf(field), field(value, last)));
      List<?> leases = scripts.redis.list("ZRANGE", RedisKeys.leases(pool.key), "0", "-1");
      for (Object owner : leases) {
        seen.put(
            "lease of " + ScriptCalls.nameOf(String.valueOf(owner)),
            leaseMillis(pool, String.valueOf(owner)));
      }
    }
    seen.put("queue", scripts.queue().stream().map(ScriptCalls::nameOf).toList());
    seen.put("lifetime", roughly(pool.millisLeft()));
    seen.put("lifetime of leases", roughly(scripts.millisLeft(RedisKeys.leases(pool.key))));
    if (scripts.millisLeft(leases(pool)) >= 0 && pool.millisLeft() >= 0) {
      seen.put("leases live on for", leasesLiveOnFor(pool));
    }
  }

  /** Of a holder: amount, whether it was granted when it was taken, its distance to the fence. */
  private static String field(String value, long last) {
    String[] parts = value.split(ScriptCalls.SEPARATOR, -1);
    if (parts.length != 4) {
      return value.matches("\\d{16}") ? "some time" : value;
    }
    long ago = last - Long.parseLong(parts[2]);
    String when = ago == 0 ? "last" : ago == 1 ? "last, then a release" : "before";
    boolean atOnce = parts[1].equals(parts[2]);
    return parts[0] + ", at once " + atOnce + ", " + when + ", " + parts[3];
  }

  private static Object leaseMillis(PoolCalls pool, String owner) {
    String end = ScriptCalls.text(pool.scripts.redis.call("ZSCORE", leases(pool), owner));
    Object text = pool.scripts.redis.call("HGET", pool.key, owner);
    if (end.length() < 16 || text == null) {
      return end.length() < 16 ? "over" : "of nobody";
    }
    String since = String.valueOf(text).split(ScriptCalls.SEPARATOR, -1)[1];
    return roughly((Long.parseLong(end) - Long.parseLong(since)) / 1000);
  }

  /**
   * To the nearest five seconds, so that what passes during a test does not count: leases here are
   * multiples of that, or about a second, and end a little early or late.
   */
  private static long roughly(long millis) {
    return millis < 0 ? millis : Math.round(millis / 5000.0);
  }

  /** In tenths of a second, since the clock may go on between two commands of a script. */
  private static long leasesLiveOnFor(PoolCalls pool) {
    String script = "return redis.call('PTTL', KEYS[2]) - redis.call('PTTL', KEYS[1])";
    Object millis = pool.scripts.redis.call("EVAL", script, "2", pool.key, leases(pool));
    return Math.round(ScriptCalls.number(millis) / 100.0);
  }

  // ---- pools before the step

  private static String leases(PoolCalls pool) {
    return RedisKeys.leases(pool.key);
  }

  private static void removeLease(Consumer<PoolCalls> held, PoolCalls pool) {
    unleased(held, pool, "a:1");
  }

  private static void unleased(Consumer<PoolCalls> held, PoolCalls pool, String name) {
    held.accept(pool);
    pool.scripts.redis.call("ZREM", leases(pool), pool.scripts.owner(name));
  }

  private static void unheld(Consumer<PoolCalls> held, PoolCalls pool, String name) {
    held.accept(pool);
    pool.scripts.redis.call("HDEL", pool.key, pool.scripts.owner(name));
  }

  private static void leaseOver(Consumer<PoolCalls> held, PoolCalls pool) {
    over(held, pool, "a:1");
  }

  private static void over(Consumer<PoolCalls> held, PoolCalls pool, String name) {
    held.accept(pool);
    pool.scripts.redis.call("ZADD", leases(pool), "1000", pool.scripts.owner(name));
  }

  private static void waits(Consumer<PoolCalls> held, PoolCalls pool) {
    held.accept(pool);
    pool.await("c:1", 3, LONG);
  }

  private static void waitsForNothing(PoolCalls pool) {
    waits(p -> p.acquire("a:1", 3, LONG), pool);
    pool.scripts.redis.call("DEL", pool.key, leases(pool));
  }

  private static void goneByHand(Consumer<PoolCalls> held, PoolCalls pool) {
    held.accept(pool);
    pool.scripts.redis.call("DEL", pool.key);
  }

  private static void limited(Consumer<PoolCalls> held, PoolCalls pool, int limit) {
    held.accept(pool);
    pool.limit(limit);
  }

  private static void setBack(PoolCalls pool) {
    pool.limit(5);
    pool.acquire("a:1", 1, LONG);
    pool.scripts.redis.call("HSET", pool.key, "@limit", "3");
  }

  private static void set(Consumer<PoolCalls> held, PoolCalls pool, String field, String value) {
    held.accept(pool);
    pool.scripts.redis.call("HSET", pool.key, field, value);
  }

  private static void lessened(PoolCalls pool) {
    pool.acquire("b:1", ALL, SOME);
    pool.renew("b:1", 1);
  }
}
