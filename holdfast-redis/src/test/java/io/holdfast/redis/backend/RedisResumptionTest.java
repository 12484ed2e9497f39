package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.redis.OwnRedisServer;
import io.holdfast.redis.backend.ScriptCalls.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A renewal puts back a holder that has vanished from the store, but only if it is certain that the
 * key was not granted since. Has its own server, because grants of other keys count.
 */
@Isolated
class RedisResumptionTest {
  private static final long LOST = 0;
  private static final long RENEWED = 1;
  private static final long RESUMED = 3;
  private static final long RESUMED_AND_WANTED = 4;
  @RegisterExtension static final OwnRedisServer SERVER = new OwnRedisServer();

  private ScriptCalls lock;

  @BeforeEach
  void connect() {
    lock = new ScriptCalls(SERVER.get());
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

  // ---- resumed

  @Test
  void aDeletedLockIsResumedWithTheSameTick() {
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
  void aLockWithoutItsOwnerIsResumed() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("HDEL", lock.key, lock.owner("a:1"));
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
    assertThat(lock.data()).containsKey(lock.owner("a:1")).hasSize(4);
  }

  @Test
  void anExpiredLockIsResumed() {
    long tick = lock.acquire(lock.by("a:1").lease(1)).value();
    await().atMost(Duration.ofSeconds(60)).until(() -> !lock.exists(lock.key));
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
  }

  @Test
  void waitersDoNotPreventAResumptionAndAreReported() {
    long tick = lock.acquire("a:1").value();
    lock.await("b:1");
    lock.redis.call("DEL", lock.key);
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED_AND_WANTED);
    assertThat(lock.release("a:1")).isEqualTo(1);
    assertThat(lock.data()).as("the waiter is next").containsKey(lock.owner("b:1"));
  }

  @Test
  void grantsOfOtherKeysDoNotPreventAResumption() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    try (ScriptCalls other = new ScriptCalls(SERVER.get(), otherKey(false))) {
      other.acquire("b:1");
    }
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
  }

  @Test
  void aServerOutOfMemoryResumesALock() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    lock.redis.call("CONFIG", "SET", "maxmemory", "1");
    assertThat(resume("a:1", tick)).isEqualTo(RESUMED);
    assertThat(lock.millisLeft(lock.key)).isPositive();
  }

  // ---- lost

  @Test
  void nothingIsResumedUnasked() {
    lock.acquire("a:1");
    lock.redis.call("DEL", lock.key);
    assertThat(resume("a:1", 0)).isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void aHolderInBetweenPreventsAResumption() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.acquire("b:1");
    lock.redis.call("DEL", lock.key); // without a release
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void anotherHolderKeepsTheLock() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    lock.acquire("b:1");
    lock.fence(tick); // even with a wrong fence
    Map<String, String> data = lock.data();
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
    assertThat(lock.data()).isEqualTo(data);
  }

  @Test
  void aMissingOlderOrMalformedFencePreventsAResumption() {
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
  void aGrantInTheSameBucketPreventsAResumption() {
    long tick = lock.acquire("a:1").value();
    lock.redis.call("DEL", lock.key);
    try (ScriptCalls other = new ScriptCalls(SERVER.get(), otherKey(true))) {
      other.acquire("b:1");
    }
    assertThat(resume("a:1", tick)).isEqualTo(LOST);
  }

  @Test
  void aReleasedOrForcedLockIsNotResumed() {
    long tick = lock.acquire("a:1").value();
    lock.release("a:1");
    assertThat(resume("a:1", tick)).as("a renewal that arrives after the release").isEqualTo(LOST);
    tick = lock.acquire("a:1").value();
    lock.force();
    assertThat(resume("a:1", tick)).as("forced open").isEqualTo(LOST);
    assertThat(lock.exists(lock.key)).isFalse();
  }

  @Test
  void aKeyInOtherUseIsNotChanged() {
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
  void aBatchHasOneAnswerForEach() {
    long tick = lock.acquire("a:1").value();
    try (ScriptCalls gone = new ScriptCalls(SERVER.get(), otherKey(false))) {
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
  void aDeletedWriteLockIsResumed() {
    try (PoolCalls pool = new PoolCalls(SERVER.get(), "read-write", 1_000_000, WINDOW)) {
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
  void ofSeveralHoldersOfADeletedPoolOnlyTheLastIsResumed() {
    try (PoolCalls pool = new PoolCalls(SERVER.get(), "semaphore", 3, WINDOW)) {
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
  void aHolderMissingFromAPoolWithOthersIsLost() {
    try (PoolCalls pool = new PoolCalls(SERVER.get(), "semaphore", 3, WINDOW)) {
      pool.acquire("a:1", 1, 5000);
      long tick = pool.acquire("b:1", 1, 5000).value();
      pool.scripts.redis.call("ZREM", RedisKeys.leases(pool.key), pool.scripts.owner("b:1"));
      assertThat(pool.renewal("b:1", 1).orResume(tick, "b").send(pool.scripts.redis))
          .isEqualTo(LOST);
    }
  }

  @Test
  void releasedOrForcedPermitsAreNotResumed() {
    try (PoolCalls pool = new PoolCalls(SERVER.get(), "semaphore", 3, WINDOW)) {
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
