package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.FastPathStep.fast;
import static io.holdfast.redis.backend.FastPathStep.slow;

import io.holdfast.redis.OwnRedisServer;
import io.holdfast.redis.backend.ScriptCalls.Attempt;
import io.holdfast.testservers.RedisSubscription;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fast paths of acquire.lua and release.lua leave what the rest of the scripts would leave:
 * data, lifetimes, fence, messages, answer. Each case runs once with the whole script and once
 * without its fast path.
 */
@Isolated
class MutexFastPathTest {
  private static final long LONG = 600_000;
  private static final long SOME = 100_000;

  @RegisterExtension static final OwnRedisServer SERVER = new OwnRedisServer();

  static Stream<FastPathStep<ScriptCalls>> acquisitions() {
    Consumer<ScriptCalls> nothing = lock -> {};
    Consumer<ScriptCalls> held = lock -> lock.acquire(lock.by("a:1").lease(LONG));
    Consumer<ScriptCalls> heldForLong = held.andThen(MutexFastPathTest::sinceLongAgo);
    Consumer<ScriptCalls> oneWaits = heldForLong.andThen(lock -> lock.await("c:1"));
    Function<ScriptCalls, Object> take = lock -> acquire(lock, lock.by("b:1").lease(SOME));
    Function<ScriptCalls, Object> join =
        lock -> acquire(lock, lock.by("b:1").lease(SOME).note("a note").orWait(60_000));
    return Stream.of(
        fast("a free lock", nothing, take),
        fast("a free lock, by one that would wait", nothing, join),
        fast("an older fence", lock -> lock.fence("1000000000000000"), take),
        slow("a fence that is new", lock -> lock.redis.call("DEL", RedisKeys.FENCE), take),
        slow("a fence ahead of the clock", lock -> lock.fence(9_000_000_000_000_000L), take),
        slow("a fence with more digits", lock -> lock.fence("10000000000000000"), take),
        slow("a fence of garbage", lock -> lock.fence("not a number"), take),
        slow(
            "a client that has seen a larger tick",
            nothing,
            lock -> acquire(lock, lock.by("b:1").lease(SOME).floor(9_000_000_000_000_000L))),
        fast(
            "a client that has seen a smaller tick",
            nothing,
            lock -> acquire(lock, lock.by("b:1").lease(SOME).floor(1_000_000_000_000_000L))),
        slow("the lock of the caller", lock -> lock.acquire("b:1"), take),
        slow("the lock of the caller, by one that would wait", l -> l.acquire("b:1"), join),
        slow("a lock of another, without waiting", held, take),
        fast("a lock of another", held, join),
        fast("a lock held for long", heldForLong, join),
        fast("a second waiter, of a lock held for long", oneWaits, join),
        slow(
            "a waiter that was passed over",
            oneWaits,
            lock -> acquire(lock, lock.by("b:1").orWait(60_000).queued(50_000_000))),
        slow(
            "a fence of another type",
            lock -> {
              lock.redis.call("DEL", RedisKeys.FENCE);
              lock.redis.call("SET", RedisKeys.FENCE, "x");
            },
            take),
        fast("a waiter that asks again", heldForLong.andThen(l -> l.await("b:1")), join),
        fast(
            "a waiter that came before the first",
            oneWaits,
            lock -> acquire(lock, lock.by("b:1").orWait(60_000).waited(50_000_000))),
        slow("a free lock with a live waiter", oneWaits.andThen(ScriptCalls::deleteLock), take),
        slow("a free lock with a dead waiter", oneWaits.andThen(l -> dead(l, "c:1")), take),
        slow("a pool", lock -> lock.redis.call("HSET", lock.key, "@kind", "semaphore"), take),
        slow("a pool, waiting", l -> l.redis.call("HSET", l.key, "@kind", "semaphore"), join),
        slow("a text", lock -> lock.redis.call("SET", lock.key, "x"), take));
  }

  static Stream<FastPathStep<ScriptCalls>> releases() {
    Consumer<ScriptCalls> held = lock -> lock.acquire(lock.by("b:1").lease(LONG));
    Consumer<ScriptCalls> oneWaits = held.andThen(lock -> lock.await("c:1"));
    Consumer<ScriptCalls> twoWait = oneWaits.andThen(lock -> lock.await("d:1"));
    Function<ScriptCalls, Object> release = lock -> lock.release("b:1");
    return Stream.of(
        fast("a lock for which nobody waits", held, release),
        fast("a lock with a waiter", oneWaits, release),
        fast("a lock with two waiters", twoWait, release),
        fast(
            "a lease that is shorter than the claim window",
            oneWaits,
            lock -> lock.release("b:1", 0, 60_000)),
        slow(
            "a waiter that no message reaches",
            held.andThen(lock -> lock.acquire(lock.by("e:1").orWait(60_000))),
            release),
        slow(
            "a queue of another type",
            held.andThen(lock -> lock.redis.call("SET", RedisKeys.queue(lock.key), "x")),
            release),
        slow(
            "waiters of another type",
            oneWaits.andThen(
                lock -> {
                  lock.redis.call("DEL", RedisKeys.waiters(lock.key));
                  lock.redis.call("SET", RedisKeys.waiters(lock.key), "x");
                }),
            release),
        slow("a lock that nobody holds", lock -> {}, release),
        slow("a lock of another", lock -> lock.acquire("a:1"), release),
        slow("a place in the queue", oneWaits, lock -> lock.release("c:1")),
        slow("a dead waiter", oneWaits.andThen(l -> l.pretendDead("c:1")), release),
        slow(
            "a dead waiter before a live one",
            twoWait.andThen(lock -> lock.pretendDead("c:1")),
            release),
        slow(
            "a client that has seen a larger tick",
            oneWaits,
            lock -> lock.release("b:1", 9_000_000_000_000_000L)),
        slow("a fence ahead", oneWaits.andThen(l -> l.fence(9_000_000_000_000_000L)), release),
        slow("a fence of garbage", oneWaits.andThen(lock -> lock.fence("x")), release));
  }

  @ParameterizedTest
  @MethodSource("acquisitions")
  void anAcquireLeavesTheSameWithAndWithoutItsFastPath(FastPathStep<ScriptCalls> step) {
    step.check(fastPath -> run(step, fastPath));
  }

  @ParameterizedTest
  @MethodSource("releases")
  void aReleaseLeavesTheSameWithAndWithoutItsFastPath(FastPathStep<ScriptCalls> step) {
    step.check(fastPath -> run(step, fastPath));
  }

  private static Map<String, Object> run(FastPathStep<ScriptCalls> step, FastPath fastPath) {
    try (ScriptCalls lock = new ScriptCalls(SERVER.get(), "a \"lock\" / \u00e9")) {
      lock.redis.call("FLUSHALL");
      String channel = "lock:release:" + lock.key;
      List.of("a:1", "b:1", "c:1", "d:1").forEach(lock::inbox);
      try (RedisSubscription releases = lock.redis.subscribe(channel)) {
        lock.fence("1000000000000000"); // long ago
        step.before().accept(lock);
        lock.use(fastPath);
        Map<String, Integer> alreadyTold = new TreeMap<>();
        told(lock).forEach((name, messages) -> alreadyTold.put(name, messages.size()));
        Map<String, Object> seen = new TreeMap<>();
        step.outcome(lock, lock, seen);
        state(lock, seen);
        told(lock)
            .forEach(
                (name, messages) ->
                    seen.put(
                        "told " + name,
                        messages.subList(alreadyTold.getOrDefault(name, 0), messages.size())));
        seen.put("releases", FastPathStep.announcements(lock.upToNow(releases, channel)));
        return seen;
      }
    }
  }

  private static Map<String, List<String>> told(ScriptCalls lock) {
    Map<String, List<String>> all = new TreeMap<>();
    for (String name : List.of("a:1", "b:1", "c:1", "d:1")) {
      all.put(name, lock.told(name).stream().map(m -> normalized(lock, m)).toList());
    }
    return all;
  }

  /** Whether it is granted, whether others wait, and about how long the present lease goes on. */
  private static Object acquire(ScriptCalls lock, Attempt attempt) {
    ScriptCalls.Answer answer = lock.acquire(attempt);
    String value = answer.granted() ? "" : ", free in " + roughly(answer.value());
    return (answer.granted() ? "granted, others wait: " + answer.contended() : "busy") + value;
  }

  /** Everything in the store, without what differs from run to run. */
  private static void state(ScriptCalls lock, Map<String, Object> seen) {
    seen.put("keys", lock.redis.list("KEYS", "*").stream().sorted().toList());
    if (isA("hash", lock, lock.key) && isA("hash", lock, RedisKeys.FENCE)) {
      Map<String, String> data = lock.data();
      data.forEach((field, value) -> seen.put(normalized(lock, field), normalized(lock, value)));
      String fence = lock.hash(RedisKeys.FENCE).getOrDefault(ScriptCalls.bucket(lock.key), "");
      seen.put("the fence is at the grant", fence.equals(data.get("@tick")));
      seen.put(
          "held since the grant", String.valueOf(data.get("@since")).equals(data.get("@tick")));
    }
    if (isA("zset", lock, RedisKeys.queue(lock.key))) {
      seen.put("queue", lock.queue().stream().map(owner -> normalized(lock, owner)).toList());
    }
    if (isA("hash", lock, RedisKeys.waiters(lock.key))) {
      lock.hash(RedisKeys.waiters(lock.key))
          .forEach((owner, text) -> seen.put(normalized(lock, owner), normalized(lock, text)));
    }
    for (String key : RedisKeys.of(lock.key)) {
      seen.put("lifetime of " + key, roughly(lock.millisLeft(key)));
    }
  }

  private static boolean isA(String type, ScriptCalls lock, String key) {
    return type.equals(lock.redis.call("TYPE", key));
  }

  /** Without the prefix of owners, and with times and ticks of the present in place of digits. */
  private static String normalized(ScriptCalls lock, String text) {
    return text.replace(lock.owner(""), "").replaceAll("(?<!\\d)1[5-9]\\d{14}(?!\\d)", "<time>");
  }

  /** Leases here are multiples of ten seconds; a run may take five seconds without being seen. */
  private static long roughly(long millis) {
    return millis < 0 ? millis : (millis + 5_000) / 10_000;
  }

  private static void sinceLongAgo(ScriptCalls lock) {
    lock.redis.call("HSET", lock.key, "@since", "1600000000000000");
  }

  private static void dead(ScriptCalls lock, String waiter) {
    lock.pretendDead(waiter);
    lock.deleteLock();
  }
}
