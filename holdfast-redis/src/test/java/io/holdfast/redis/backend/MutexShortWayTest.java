package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.backend.ScriptCalls.Attempt;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scripts of the mutex begin with a short way for plain cases. It leaves what the long way
 * leaves: data, lifetimes, fence, messages, answer. Each case runs once with the whole script and
 * once with the long way alone, and the two results are compared.
 */
@Isolated
class MutexShortWayTest {
  private static final long LONG = 600_000;
  private static final long SOME = 100_000;
  private static final String MARK = "went the long way";

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.builder().start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** What is done to a prepared lock, and whether the short way deals with it. */
  private record Step(
      String name,
      boolean shortWay,
      Consumer<ScriptCalls> before,
      Function<ScriptCalls, Object> act) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Step shortly(
      String name, Consumer<ScriptCalls> before, Function<ScriptCalls, Object> act) {
    return new Step(name, true, before, act);
  }

  private static Step longly(
      String name, Consumer<ScriptCalls> before, Function<ScriptCalls, Object> act) {
    return new Step(name, false, before, act);
  }

  static Stream<Step> acquisitions() {
    Consumer<ScriptCalls> nothing = lock -> {};
    Consumer<ScriptCalls> held = lock -> lock.acquire(lock.by("a:1").lease(LONG));
    Consumer<ScriptCalls> heldForLong = held.andThen(MutexShortWayTest::sinceLongAgo);
    Consumer<ScriptCalls> oneWaits = heldForLong.andThen(lock -> lock.await("c:1"));
    Function<ScriptCalls, Object> take = lock -> acquire(lock, lock.by("b:1").lease(SOME));
    Function<ScriptCalls, Object> join =
        lock -> acquire(lock, lock.by("b:1").lease(SOME).note("a note").orWait(60_000));
    return Stream.of(
        shortly("a free lock", nothing, take),
        shortly("a free lock, by one that would wait", nothing, join),
        shortly("an older fence", lock -> lock.fence("1000000000000000"), take),
        longly("a fence that is new", lock -> lock.redis.call("DEL", RedisKeys.FENCE), take),
        longly("a fence ahead of the clock", lock -> lock.fence(9_000_000_000_000_000L), take),
        longly("a fence with more digits", lock -> lock.fence("10000000000000000"), take),
        longly("a fence of garbage", lock -> lock.fence("not a number"), take),
        longly(
            "a client that has seen a larger tick",
            nothing,
            lock -> acquire(lock, lock.by("b:1").lease(SOME).floor(9_000_000_000_000_000L))),
        shortly(
            "a client that has seen a smaller tick",
            nothing,
            lock -> acquire(lock, lock.by("b:1").lease(SOME).floor(1_000_000_000_000_000L))),
        longly("the lock of the caller", lock -> lock.acquire("b:1"), take),
        longly("the lock of the caller, by one that would wait", l -> l.acquire("b:1"), join),
        longly("a lock of another, without waiting", held, take),
        shortly("a lock of another", held, join),
        shortly("a lock held for long", heldForLong, join),
        shortly("a second waiter, of a lock held for long", oneWaits, join),
        shortly("a waiter that asks again", heldForLong.andThen(l -> l.await("b:1")), join),
        shortly(
            "a waiter that came before the first",
            oneWaits,
            lock -> acquire(lock, lock.by("b:1").orWait(60_000).waited(50_000_000))),
        longly("a free lock with a live waiter", oneWaits.andThen(ScriptCalls::deleteLock), take),
        longly("a free lock with a dead waiter", oneWaits.andThen(l -> dead(l, "c:1")), take),
        longly("a pool", lock -> lock.redis.call("HSET", lock.key, "@kind", "semaphore"), take),
        longly("a pool, waiting", l -> l.redis.call("HSET", l.key, "@kind", "semaphore"), join),
        longly("a text", lock -> lock.redis.call("SET", lock.key, "x"), take));
  }

  static Stream<Step> releases() {
    Consumer<ScriptCalls> held = lock -> lock.acquire(lock.by("b:1").lease(LONG));
    Consumer<ScriptCalls> oneWaits = held.andThen(lock -> lock.await("c:1"));
    Consumer<ScriptCalls> twoWait = oneWaits.andThen(lock -> lock.await("d:1"));
    Function<ScriptCalls, Object> release = lock -> lock.release("b:1");
    return Stream.of(
        shortly("a lock for which nobody waits", held, release),
        shortly("a lock with a waiter", oneWaits, release),
        shortly("a lock with two waiters", twoWait, release),
        longly("a lock that nobody holds", lock -> {}, release),
        longly("a lock of another", lock -> lock.acquire("a:1"), release),
        longly("a place in the queue", oneWaits, lock -> lock.release("c:1")),
        longly("a dead waiter", oneWaits.andThen(l -> l.notHeardOfAnyMore("c:1")), release),
        longly(
            "a dead waiter before a live one",
            twoWait.andThen(lock -> lock.notHeardOfAnyMore("c:1")),
            release),
        longly(
            "a client that has seen a larger tick",
            oneWaits,
            lock -> lock.release("b:1", 9_000_000_000_000_000L)),
        longly("a fence ahead", oneWaits.andThen(l -> l.fence(9_000_000_000_000_000L)), release),
        longly("a fence of garbage", oneWaits.andThen(lock -> lock.fence("x")), release));
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
    assertThat(asLong.remove("long way")).isEqualTo(true);
    assertThat(asIs.remove("long way")).isEqualTo(!step.shortWay);
    assertThat(asIs).isEqualTo(asLong);
  }

  private static Map<String, Object> run(Step step, boolean longWayOnly) {
    try (ScriptCalls lock = new ScriptCalls(server, "a \"lock\" / \u00e9")) {
      lock.redis.call("FLUSHALL");
      String channel = "lock:release:" + lock.key;
      List.of("a:1", "b:1", "c:1", "d:1").forEach(lock::inbox);
      try (RedisSubscription releases = lock.redis.subscribe(channel)) {
        lock.fence("1000000000000000"); // long ago
        step.before.accept(lock);
        lock.markTheLongWay(MARK, longWayOnly);
        Map<String, Integer> alreadyTold = new TreeMap<>();
        told(lock).forEach((name, messages) -> alreadyTold.put(name, messages.size()));
        Map<String, Object> seen = new TreeMap<>();
        seen.put("answer", answer(step, lock));
        seen.put("long way", lock.exists(MARK));
        lock.redis.call("DEL", MARK);
        state(lock, seen);
        told(lock)
            .forEach(
                (name, messages) ->
                    seen.put(
                        "told " + name,
                        messages.subList(alreadyTold.getOrDefault(name, 0), messages.size())));
        seen.put("releases", releases(lock.upToNow(releases, channel)));
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

  private static List<String> releases(List<String> texts) {
    List<String> all = new ArrayList<>();
    for (String text : texts) {
      Map<String, String> message = FlatJson.parse(text);
      assertThat(message.remove("releaseTime")).matches("\\d{13}");
      message.compute("holder", (field, owner) -> String.valueOf(owner).substring(8));
      all.add(message.toString());
    }
    return all;
  }

  private static Object answer(Step step, ScriptCalls lock) {
    try {
      return step.act.apply(lock);
    } catch (RespException e) {
      return String.valueOf(e.getMessage()).replaceAll(" script: .*", "");
    }
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
    if ("hash".equals(lock.redis.call("TYPE", lock.key))) {
      Map<String, String> data = lock.data();
      data.forEach((field, value) -> seen.put(normalized(lock, field), normalized(lock, value)));
      String fence = lock.hash(RedisKeys.FENCE).getOrDefault(ScriptCalls.bucket(lock.key), "");
      seen.put("the fence is at the grant", fence.equals(data.get("@tick")));
      seen.put(
          "held since the grant", String.valueOf(data.get("@since")).equals(data.get("@tick")));
    }
    seen.put("queue", lock.queue().stream().map(owner -> normalized(lock, owner)).toList());
    lock.hash(RedisKeys.waiters(lock.key))
        .forEach((owner, text) -> seen.put(normalized(lock, owner), normalized(lock, text)));
    for (String key : RedisKeys.of(lock.key)) {
      seen.put("lifetime of " + key, roughly(lock.millisLeft(key)));
    }
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
    lock.notHeardOfAnyMore(waiter);
    lock.deleteLock();
  }
}
