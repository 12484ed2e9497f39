package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A holder that has vanished from the store is put back by its renewal, but only if it is certain
 * that nobody has been granted the key since. On a server of its own, since what is granted to
 * others counts.
 */
@Isolated
class RedisResumptionTest {
  private static final long LOST = 0;
  private static final long RENEWED = 1;
  private static final long RESUMED = 3;
  private static final long RESUMED_AND_WANTED = 4;
  private static RedisServer server;

  private ScriptCalls lock;

  @BeforeAll
  static void start() {
    server = RedisServer.builder().start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void connect() {
    lock = new ScriptCalls(server);
    lock.redis.call("FLUSHALL");
  }

  @AfterEach
  void disconnect() {
    lock.redis.call("CONFIG", "SET", "maxmemory", "0");
    lock.close();
  }

  private long resume(String name, long tick) {
    return Renewal.ofLock(lock.key, lock.owner(name))
        .orResume(tick, "meta of " + name)
        .send(lock.redis);
  }

  // ---- put back

  @Test
  void aLockThatWasDeletedIsTheOwnersAgainWithTheSameTick() {
    Answer grant = lock.acquire("a:1");
    Map<String, String> before = lock.data();
    lock.redis.call("DEL", lock.key);

    assertThat(resume("a:1", grant.value())).isEqualTo(RESUMED);

    assertThat(lock.data())
        .hasSize(4)
        .containsEntry(lock.owner("a:1"), "1")
        .containsEntry("@tick", before.get("@tick"))
        .containsEntry("@meta", before.get("@meta"));
    assertThat(lock.millisLeft(lock.key)).isBetween(1L, 30_000L);
    assertThat(lock.fence()).as("no new grant").isEqualTo(grant.value());
    assertThat(resume("a:1", grant.value())).isEqualTo(RENEWED);
    assertThat(lock.acquire("b:1").granted()).isFalse();
    assertThat(lock.release("a:1")).isEqualTo(1);
    assertThat(lock.acquire("b:1").value()).isGreaterThan(grant.value());
  }

  @Test
  void aLockWhoseOwnerWasRemovedFromItIsTheOwnersAgain() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("HDEL", lock.key, lock.owner("a:1"));
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
    assertThat(lock.data()).containsKey(lock.owner("a:1")).hasSize(4);
  }

  @Test
  void aLockThatExpiredUnnoticedIsTheOwnersAgain() {
    long tick = lock.acquire(lock.by("a:1").lease(1)).value();
    await().atMost(Duration.ofSeconds(60)).until(() -> !lock.exists(lock.key));
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
  }

  @Test
  void whoWaitsDoesNotPreventItAndIsReported() {
    long tick = lock.acquire("a:1").value();
    lock.await("b:1");
    lock.redis.call("DEL", lock.key);
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED_AND_WANTED);
    assertThat(lock.release("a:1")).isEqualTo(1);
    assertThat(lock.data()).as("who waited is next").containsKey(lock.owner("b:1"));
  }

  @Test
  void grantsOfOtherKeysDoNotPreventIt() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    try (ScriptCalls other = new ScriptCalls(server, otherKey(false))) {
      other.acquire("b:1");
    }
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
  }

  @Test
  void aServerOutOfMemoryPutsItBackToo() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    lock.redis.call("CONFIG", "SET", "maxmemory", "1");
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
    assertThat(lock.millisLeft(lock.key)).isPositive();
  }

  // ---- lost

  @Test
  void nothingIsPutBackUnasked() {
    lock.acquire("a:1");
    lock.redis.call("DEL", lock.key);
    assertThat(resume("a:1", 0)).isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void somebodyWhoHeldItInBetweenPreventsIt() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.acquire("b:1");
    lock.redis.call("DEL", lock.key); // without a release
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void somebodyWhoHoldsItKeepsIt() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.acquire("b:1");
    lock.fence(tick); // even if the fence were wrong
    Map<String, String> data = lock.data();
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.data()).isEqualTo(data);
  }

  @Test
  void aFenceThatIsForgottenOrOlderOrNoFenceCannotTell() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key, RedisKeys.FENCE);
    assertThat(resume("a:1", tick)).as("forgotten").isEqualTo(LOST);
    lock.fence(tick - 1);
    assertThat(resume("a:1", tick)).as("restored from older data").isEqualTo(LOST);
    lock.fence("garbage");
    assertThat(resume("a:1", tick)).as("garbage").isEqualTo(LOST);
    lock.redis.call("DEL", RedisKeys.FENCE);
    lock.redis.call("SET", RedisKeys.FENCE, Long.toString(tick));
    assertThat(resume("a:1", tick)).as("of another type").isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void aGrantOfAnotherKeyThatCannotBeToldApartPreventsIt() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    try (ScriptCalls other = new ScriptCalls(server, otherKey(true))) {
      other.acquire("b:1");
    }
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
  }

  @Test
  void whatWasReleasedOrForcedOpenDoesNotComeBack() {
    long tick = lock.acquire("a:1").value();
    lock.release("a:1");
    assertThat(resume("a:1", tick)).as("a renewal that arrives after the release").isEqualTo(LOST);
    tick = lock.acquire("a:1").value();
    lock.force();
    assertThat(resume("a:1", tick)).as("forced open").isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void aKeyThatHasBecomeSomethingElseStaysAsItIs() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.redis.call("SET", lock.key, "mine");
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.redis.call("GET", lock.key)).isEqualTo("mine");
    lock.redis.call("DEL", lock.key);
    lock.redis.call(
        ScriptCalls.eval(LuaScript.LATCH_COUNT, RedisKeys.ofLatch(lock.key), "set", "3"));
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.data()).containsEntry("@count", "3");
  }

  @Test
  void aBatchIsAnsweredOneByOne() {
    long tick = lock.acquire("a:1").value();
    try (ScriptCalls gone = new ScriptCalls(server, otherKey(false))) {
      long other = gone.acquire("a:1").value();
      gone.redis.call("DEL", gone.key);
      assertThat(
              Renewal.send(
                  lock.redis,
                  List.of(
                      Renewal.ofLock(gone.key, gone.owner("b:1")).orResume(other - 1, ""),
                      Renewal.ofLock(lock.key, lock.owner("a:1")).orResume(tick, ""),
                      Renewal.ofLock(gone.key, gone.owner("a:1")).orResume(other, ""))))
          .containsExactly(LOST, RENEWED, RESUMED);
    }
  }

  // ---- pools

  @Test
  void aWriterWhoseLockWasDeletedIsTheWriterAgain() {
    try (PoolCalls pool = new PoolCalls(server, "read-write", 1_000_000, WINDOW)) {
      long tick = pool.acquire("w:1", 1_000_000, 5000).value();
      Map<String, String> before = pool.scripts.data();
      pool.scripts.redis.call("DEL", pool.key);
      Renewal renewal = pool.renewal("w:1", 1_000_000).orResume(tick, "meta of w:1");
      assertThat(renewal.send(pool.scripts.redis)).isEqualTo(RESUMED);
      assertThat(pool.scripts.data().keySet()).isEqualTo(before.keySet());
      assertThat(pool.scripts.data(pool.scripts.owner("w:1"))).contains(Long.toString(tick));
      assertThat(pool.millisLeft()).isBetween(5001L, 30_000L);
      assertThat(pool.acquire("r:1", 1, 5000).granted()).isFalse();
      assertThat(pool.renew("w:1", 1_000_000)).isEqualTo(RENEWED);
      assertThat(pool.release("w:1")).isEqualTo(1);
      assertThat(pool.acquire("r:1", 1, 5000).granted()).isTrue();
    }
  }

  @Test
  void ofSeveralHoldersOfADeletedPoolOnlyTheLastIsCertain() {
    try (PoolCalls pool = new PoolCalls(server, "semaphore", 3, WINDOW)) {
      long first = pool.acquire("a:1", 1, 5000).value();
      long last = pool.acquire("b:1", 1, 5000).value();
      pool.scripts.redis.call("DEL", pool.key);
      assertThat(
              Renewal.send(
                  pool.scripts.redis,
                  List.of(
                      pool.renewal("a:1", 1).orResume(first, "a"),
                      pool.renewal("b:1", 1).orResume(last, "b"),
                      pool.renewal("a:1", 1).orResume(first, "a"))))
          .containsExactly(LOST, RESUMED, LOST);
      assertThat(pool.used()).isEqualTo(1);
    }
  }

  @Test
  void aHolderThatIsMissingFromAPoolWithOthersIsLost() {
    try (PoolCalls pool = new PoolCalls(server, "semaphore", 3, WINDOW)) {
      pool.acquire("a:1", 1, 5000);
      long tick = pool.acquire("b:1", 1, 5000).value();
      pool.scripts.redis.call("ZREM", RedisKeys.leases(pool.key), pool.scripts.owner("b:1"));
      assertThat(pool.renewal("b:1", 1).orResume(tick, "b").send(pool.scripts.redis))
          .isEqualTo(LOST);
    }
  }

  @Test
  void permitsThatWereReleasedOrForcedOpenDoNotComeBack() {
    try (PoolCalls pool = new PoolCalls(server, "semaphore", 3, WINDOW)) {
      long tick = pool.acquire("a:1", 1, 5000).value();
      pool.release("a:1");
      assertThat(pool.renewal("a:1", 1).orResume(tick, "a").send(pool.scripts.redis))
          .isEqualTo(LOST);
      tick = pool.acquire("a:1", 1, 5000).value();
      pool.force();
      assertThat(pool.renewal("a:1", 1).orResume(tick, "a").send(pool.scripts.redis))
          .isEqualTo(LOST);
      assertThat(pool.scripts.exists(pool.key)).isFalse();
    }
  }

  /** A key in the same bucket of the fence as the lock's, or in another. */
  private String otherKey(boolean sameBucket) {
    String bucket = ScriptCalls.bucket(lock.key);
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "other:" + i)
        .filter(key -> ScriptCalls.bucket(key).equals(bucket) == sameBucket)
        .findFirst()
        .orElseThrow();
  }
}
