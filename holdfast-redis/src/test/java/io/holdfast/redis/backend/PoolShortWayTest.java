package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RedisSubscription;
import io.holdfast.testkit.RespException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is plain goes a short way through the scripts of pools, and leaves what the long way would
 * have left: data, lifetimes, tick, message, answer. What is not plain goes the long way, which is
 * the only one that versions before had.
 */
@Isolated
class PoolShortWayTest {
  private static final int ALL = 1_000_000;
  private static final long LONG = 600_000;
  private static final long SOME = 100_000;
  private static final long FEW = 50_000;

  /** Of those who are granted it while they wait. */
  private static final long WINDOW = 50_000;

  /** No lease ends within this time, and none is taken for another; see {@link #roughly}. */
  private static final long MOST_MILLIS = 20_000;

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.builder().start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** What is done on a pool that was prepared, and whether it is plain. */
  private record Step(
      String name,
      String kind,
      int declared,
      boolean plain,
      Consumer<PoolCalls> before,
      Function<PoolCalls, Object> act,
      long mostMillis) {
    /** The same with a lease of a second, which must not end before all is seen. */
    Step brief() {
      return new Step(name, kind, declared, plain, before, act, 900);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Step plain(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new Step(name, "semaphore", 3, true, before, act, MOST_MILLIS);
  }

  private static Step notPlain(
      String name, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new Step(name, "semaphore", 3, false, before, act, MOST_MILLIS);
  }

  private static Step writing(
      String name, boolean plain, Consumer<PoolCalls> before, Function<PoolCalls, Object> act) {
    return new Step(name, "read-write", ALL, plain, before, act, MOST_MILLIS);
  }

  static Stream<Step> acquisitions() {
    Function<PoolCalls, Object> one = pool -> pool.acquire("b:1", 1, SOME).granted();
    Function<PoolCalls, Object> three = pool -> pool.acquire("b:1", 3, SOME).granted();
    Function<PoolCalls, Object> write = pool -> pool.acquire("b:1", ALL, SOME).granted();
    Consumer<PoolCalls> held = pool -> pool.acquire("a:1", 1, LONG);
    return Stream.of(
        plain("one of a free semaphore", pool -> {}, one),
        plain("all of a free semaphore", pool -> {}, three),
        writing("a free write lock", true, pool -> {}, write),
        writing("a free read lock", true, pool -> {}, one),
        plain("a lease of a second", pool -> {}, p -> p.acquire("b:1", 1, 1000).granted()).brief(),
        notPlain("a shorter lease", pool -> {}, p -> p.acquire("b:1", 1, 999).granted()).brief(),
        plain("beside one with a longer lease", held, one),
        plain("beside one with a shorter lease", pool -> pool.acquire("a:1", 1, FEW), one),
        plain("beside one with a tiny lease", held, p -> p.acquire("b:1", 1, 999).granted())
            .brief(),
        writing("a reader beside a reader", true, held, one),
        plain("the last permit", pool -> pool.acquire("a:1", 2, LONG), one),
        plain("beside a lease removed by hand", pool -> removeLease(held, pool), one),
        notPlain("no permit left", pool -> pool.acquire("a:1", 3, LONG), one),
        notPlain("not enough left", held, three),
        writing("a writer beside a reader", false, held, write),
        writing("a reader beside a writer", false, p -> p.acquire("a:1", ALL, LONG), one),
        notPlain("more than declared", pool -> {}, p -> p.acquire("b:1", 4, SOME).granted()),
        notPlain("what is mine already", pool -> pool.acquire("b:1", 1, LONG), one),
        notPlain("more of what is mine", pool -> pool.acquire("b:1", 1, LONG), three),
        notPlain("others wait", pool -> waits(held, pool), one),
        notPlain("others wait for what nobody holds", PoolShortWayTest::waitsForNothing, one),
        notPlain("a lease is over", pool -> leaseOver(held, pool), three),
        notPlain("a lease is over, and yet it fits", pool -> leaseOver(held, pool), one),
        notPlain("leases of a pool that is gone", pool -> goneByHand(held, pool), one),
        notPlain("a raised limit", pool -> limited(held, pool, 5), one),
        notPlain("a lowered limit", pool -> limited(held, pool, 1), one),
        notPlain("a limit set back", pool -> setBack(pool), one),
        notPlain("another number declared", pool -> set(held, pool, "@declared", "4"), one),
        notPlain("another kind", pool -> set(held, pool, "@kind", "read-write"), one),
        notPlain("another limit", pool -> set(held, pool, "@limit", "2"), one),
        notPlain("a lock", pool -> pool.scripts.acquire("a:1"), one),
        notPlain("a text", pool -> pool.scripts.redis.call("SET", pool.key, "x"), one),
        notPlain("a fence ahead", pool -> pool.scripts.fence(9_000_000_000_000_000L), one),
        notPlain("a fence far ahead", pool -> pool.scripts.fence("10000000000000000"), one),
        notPlain("a fence that is new", PoolShortWayTest::noFence, one),
        notPlain("a fence of garbage", pool -> pool.scripts.fence("not a number"), one));
  }

  static Stream<Step> releases() {
    Function<PoolCalls, Object> release = pool -> pool.release("b:1");
    Consumer<PoolCalls> alone = pool -> pool.acquire("b:1", 2, SOME);
    Consumer<PoolCalls> both = alone.andThen(pool -> pool.acquire("a:1", 1, LONG));
    return Stream.of(
        plain("the only holder", alone, release),
        writing("a writer", true, pool -> pool.acquire("b:1", ALL, SOME), release),
        writing("a writer that reads", true, PoolShortWayTest::lessened, release),
        plain("beside one with a longer lease", both, release),
        plain("beside one with a shorter lease", both, pool -> pool.release("a:1")),
        plain("after a renewal", both.andThen(pool -> pool.renew("a:1", 1)), release),
        plain("twice", alone, pool -> pool.release("b:1") + pool.release("b:1")),
        notPlain("by another", pool -> pool.acquire("a:1", 1, LONG), release),
        notPlain("of nothing", pool -> {}, release),
        notPlain("others wait", both.andThen(pool -> pool.await("c:1", 2, LONG)), release),
        notPlain("the own lease is over", pool -> over(alone, pool, "b:1"), release),
        notPlain("the own lease of two is over", pool -> over(both, pool, "b:1"), release),
        notPlain("another lease is over", pool -> over(both, pool, "a:1"), release),
        plain("the own lease was removed by hand", pool -> unleased(alone, pool, "b:1"), release),
        notPlain("the own of two leases was removed", p -> unleased(both, p, "b:1"), release),
        notPlain("another lease was removed by hand", p -> unleased(both, p, "a:1"), release),
        notPlain("the hold was removed by hand", pool -> unheld(both, pool, "b:1"), release),
        notPlain("a raised limit", pool -> limited(alone, pool, 5), release),
        notPlain("a lowered limit, with others", pool -> limited(both, pool, 2), release),
        notPlain("a text", pool -> pool.scripts.redis.call("SET", pool.key, "x"), release));
  }

  private static void noFence(PoolCalls pool) {
    pool.scripts.redis.call("DEL", RedisKeys.FENCE);
  }

  @ParameterizedTest
  @MethodSource("acquisitions")
  void anAcquisitionLeavesTheSameEitherWay(Step step) {
    check(step);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aReleaseLeavesTheSameEitherWay(Step step) {
    check(step);
  }

  private static void check(Step step) {
    Map<String, Object> asLong = run(step, true);
    Map<String, Object> asIs = run(step, false);
    assertThat(asLong.remove("way")).isEqualTo("long");
    assertThat(asIs.remove("way")).isEqualTo(step.plain ? "short" : "long");
    assertThat(asIs).isEqualTo(asLong);
  }

  /**
   * A run during which the machine stood still for longer than a lease says nothing, and is
   * repeated.
   */
  private static Map<String, Object> run(Step step, boolean longWay) {
    for (int attempt = 0; attempt < 100; attempt++) {
      long began = System.nanoTime();
      Map<String, Object> seen = runOnce(step, longWay);
      if (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(step.mostMillis)) {
        return seen;
      }
    }
    throw new AssertionError("no run of '" + step + "' took less than " + step.mostMillis + " ms");
  }

  private static Map<String, Object> runOnce(Step step, boolean longWay) {
    ScriptCalls scripts = new ScriptCalls(server, "pool \"of\" / \u00e9");
    scripts.redis.call("FLUSHALL");
    try (PoolCalls pool = new PoolCalls(scripts, step.kind, step.declared, WINDOW)) {
      String channel = "lock:release:" + pool.key;
      try (RedisSubscription releases = scripts.redis.subscribe(channel)) {
        scripts.fence("1000000000000000"); // long ago
        step.before.accept(pool);
        if (longWay) {
          pool.goTheLongWay();
        }
        scripts.redis.call("CONFIG", "RESETSTAT");
        Map<String, Object> seen = new TreeMap<>();
        seen.put("answer", answer(step, pool));
        seen.put("way", wentTheLongWay(scripts) ? "long" : "short");
        seen.put("messages", messages(scripts.upToNow(releases, channel)));
        state(pool, seen);
        return seen;
      }
    }
  }

  private static Object answer(Step step, PoolCalls pool) {
    try {
      return step.act.apply(pool);
    } catch (RespException e) {
      return String.valueOf(e.getMessage()).replaceAll(" script: .*", "");
    }
  }

  /** It looks for leases that are over, or ends before it has written anything. */
  private static boolean wentTheLongWay(ScriptCalls scripts) {
    String stats = ScriptCalls.text(scripts.redis.call("INFO", "commandstats"));
    boolean written = stats.contains("cmdstat_hset") || stats.contains("cmdstat_del");
    return stats.contains("cmdstat_zrangebyscore") || !written;
  }

  private static List<Map<String, String>> messages(List<String> texts) {
    List<Map<String, String>> all = new ArrayList<>();
    for (String text : texts) {
      Map<String, String> message = FlatJson.parse(text);
      assertThat(message.remove("releaseTime")).matches("\\d{13}");
      message.compute("holder", (name, owner) -> nameOf(owner));
      all.add(message);
    }
    return all;
  }

  /** All there is in the store, without what differs from run to run. */
  private static void state(PoolCalls pool, Map<String, Object> seen) {
    ScriptCalls scripts = pool.scripts;
    seen.put("keys", scripts.redis.list("KEYS", "*").stream().sorted().toList());
    if ("hash".equals(scripts.redis.call("TYPE", pool.key))) {
      Map<String, String> fence = scripts.hash(RedisKeys.FENCE);
      long last = Long.parseLong(fence.getOrDefault(ScriptCalls.bucket(pool.key), "0"));
      scripts.data().forEach((field, value) -> seen.put(nameOf(field), field(value, last)));
      List<?> leases = scripts.redis.list("ZRANGE", RedisKeys.leases(pool.key), "0", "-1");
      for (Object owner : leases) {
        seen.put("lease of " + nameOf(owner), leaseMillis(pool, String.valueOf(owner)));
      }
    }
    seen.put("queue", scripts.queue().stream().map(PoolShortWayTest::nameOf).toList());
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
   * To the nearest fifty seconds, so that what passes during a test does not count: leases here are
   * multiples of that, or about a second, and end a little early or late.
   */
  private static long roughly(long millis) {
    return millis < 0 ? millis : Math.round(millis / 50_000.0);
  }

  /** In tenths of a second, since the clock may go on between two commands of a script. */
  private static long leasesLiveOnFor(PoolCalls pool) {
    String script = "return redis.call('PTTL', KEYS[2]) - redis.call('PTTL', KEYS[1])";
    Object millis = pool.scripts.redis.call("EVAL", script, "2", pool.key, leases(pool));
    return Math.round(ScriptCalls.number(millis) / 100.0);
  }

  private static String nameOf(Object owner) {
    String text = String.valueOf(owner);
    return text.startsWith("@") || text.length() < 8 ? text : text.substring(8);
  }

  // ---- what a pool may be like before

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
