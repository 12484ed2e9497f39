package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each script, called directly on a real server: its answer and the data it leaves. */
@Isolated
class RedisScriptsTest {
  private ScriptCalls scripts;

  @BeforeEach
  void connect() {
    scripts = new ScriptCalls(RedisServer.shared());
  }

  @AfterEach
  void disconnect() {
    scripts.redis.call("DEL", scripts.key);
    scripts.close();
  }

  // ---- acquire

  @Test
  void aFreeLockIsGrantedForTheRequestedLease() {
    long before = scripts.serverMicros();
    Answer answer = scripts.acquire(scripts.by("a:1").lease(20_000).meta("who I am"));
    long after = scripts.serverMicros();

    assertThat(answer.granted()).isTrue();
    assertThat(answer.contended()).isFalse();
    assertThat(answer.now()).isBetween(before, after);
    assertThat(scripts.data())
        .containsOnly(
            Map.entry(scripts.owner("a:1"), "1"),
            Map.entry("@meta", "who I am"),
            Map.entry("@since", Long.toString(answer.now())),
            Map.entry("@tick", Long.toString(answer.value())));
    assertThat(scripts.millisLeft(scripts.key)).isBetween(10_000L, 20_000L);
    assertThat(scripts.fence()).isEqualTo(answer.value());
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void anOwnerThatHasTheLockGetsItAgainWithANewLeaseAndALargerTick() {
    Answer first = scripts.acquire(scripts.by("a:1").lease(5000));
    Answer second = scripts.acquire(scripts.by("a:1").lease(60_000));
    assertThat(second.granted()).isTrue();
    assertThat(second.value()).isGreaterThan(first.value());
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(5000);
    assertThat(scripts.data())
        .hasSize(4)
        .containsEntry(scripts.owner("a:1"), "1")
        .containsEntry("@tick", Long.toString(second.value()));
  }

  @Test
  void aRepeatedAttemptWithAShorterLeaseShortensIt() {
    scripts.acquire(scripts.by("a:1").lease(60_000));
    scripts.acquire(scripts.by("a:1").lease(5000));
    assertThat(scripts.millisLeft(scripts.key)).isBetween(1L, 5000L);
  }

  @Test
  void aLockOfAnotherOwnerIsBusyForItsLease() {
    scripts.acquire(scripts.by("a:1").lease(20_000));
    Map<String, String> data = scripts.data();
    for (String other : List.of("b:1", "a:2", "a:11")) {
      Answer answer = scripts.acquire(other);
      assertThat(answer.granted()).as(other).isFalse();
      assertThat(answer.value()).isBetween(10_000L, 20_000L);
      assertThat(answer.contended()).isFalse();
      assertThat(answer.now()).isGreaterThan(1_000_000_000_000_000L);
    }
    assertThat(scripts.data()).isEqualTo(data);
  }

  @Test
  void aBusyLockWithoutALifetimeIsBusyForever() {
    scripts.acquire("a:1");
    scripts.redis.call("PERSIST", scripts.key);
    assertThat(scripts.acquire("b:1").value()).isEqualTo(-1);
  }

  @Test
  void aTickIsSpentOnlyOnAGrant() {
    Answer granted = scripts.acquire("a:1");
    scripts.acquire("b:1");
    assertThat(scripts.fence()).isEqualTo(granted.value());
  }

  @Test
  void aKeyThatIsNoHashIsRejectedAndNotChanged() {
    scripts.redis.call("SET", scripts.key, "mine");
    assertThatThrownBy(() -> scripts.acquire(scripts.by("a:1").orWait(3000)))
        .isInstanceOfSatisfying(
            RespException.class, e -> assertThat(e.code()).isEqualTo("WRONGTYPE"));
    assertThatThrownBy(() -> scripts.release("a:1")).isInstanceOf(RespException.class);
    assertThatThrownBy(() -> scripts.force()).isInstanceOf(RespException.class);
    assertThat(scripts.redis.call("GET", scripts.key)).isEqualTo("mine");
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void aKeyInOtherUseIsRejected() {
    scripts.redis.call(
        ScriptCalls.eval(LuaScript.LATCH_COUNT, RedisKeys.ofLatch(scripts.key), "set", "3"));
    Map<String, String> data = scripts.data();
    assertThatThrownBy(() -> scripts.acquire(scripts.by("a:1").orWait(3000)))
        .isInstanceOf(RespException.class)
        .hasMessageContaining("HOLDFAST the key is in use as a latch");
    assertThat(scripts.data()).isEqualTo(data);
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
  }

  @Test
  void aHeldSemaphoreIsNotABusyLock() {
    scripts.redis.call("HSET", scripts.key, scripts.owner("p:1"), "1", "@kind", "semaphore");
    assertThatThrownBy(() -> scripts.acquire(scripts.by("a:1").orWait(3000)))
        .isInstanceOf(RespException.class)
        .hasMessageContaining("HOLDFAST the key is in use as a semaphore");
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
  }

  @Test
  void aMetaOfAnyBytesIsKept() {
    String meta = "1\u001fhost\u001f\"quoted\" \\ %d\u0000\n\u001fname \ud83d\ude00";
    scripts.acquire(scripts.by("a:1").meta(meta));
    assertThat(scripts.data()).containsEntry("@meta", meta);
  }

  // ---- release

  @Test
  void theOwnerReleasesAndNothingIsLeft() {
    scripts.acquire("a:1");
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThat(scripts.redis.list("KEYS", "*" + scripts.key + "*")).isEmpty();
    assertThat(scripts.release("a:1")).isZero();
  }

  @Test
  void aReleaseByAnotherOwnerChangesNothingAndSendsNoMessage() {
    scripts.acquire("a:1");
    Map<String, String> data = scripts.data();
    String channel = "lock:release:" + scripts.key;
    try (RedisSubscription releases = scripts.redis.subscribe(channel)) {
      for (String other : List.of("b:1", "a:2", "a:", "@meta", "@tick")) {
        assertThat(scripts.release(other)).as(other).isZero();
      }
      assertThat(scripts.upToNow(releases, channel)).isEmpty();
    }
    assertThat(scripts.data()).isEqualTo(data);
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "user:profile:1001",
        "with \"quotes\" and \\ backslash",
        "with\nnew\r\nlines and \t tabs",
        "with \u0000 zero, \u001f separator, \u007f delete and </script>",
        "\ud83d\ude00 \u4e2d\u6587 \u00e9"
      })
  void aReleaseIsAnnouncedAsJsonForAnyKey(String name) {
    try (ScriptCalls strange = new ScriptCalls(RedisServer.shared(), scripts.key + name)) {
      String channel = "lock:release:" + strange.key;
      try (RedisSubscription releases = strange.redis.subscribe(channel)) {
        strange.acquire("a:1");
        long before = strange.serverMicros() / 1000;
        strange.release("a:1");
        long after = strange.serverMicros() / 1000;

        List<String> messages = strange.upToNow(releases, channel);
        assertThat(messages).hasSize(1);
        Map<String, String> json = FlatJson.parse(messages.get(0));
        assertThat(json).containsOnlyKeys("lockKey", "releaseTime", "holder");
        assertThat(json)
            .containsEntry("lockKey", strange.key)
            .containsEntry("holder", strange.owner("a:1"));
        assertThat(json.get("releaseTime")).matches("\\d{13}");
        assertThat(Long.valueOf(json.get("releaseTime"))).isBetween(before, after);
      }
    }
  }

  // ---- renew

  @Test
  void aBatchRenewsHeldLocks() {
    scripts.acquire(scripts.by("a:1").lease(5000));
    Map<String, String> data = scripts.data();
    String waitedFor = scripts.key + ":waited-for";
    String others = scripts.key + ":others";
    try (ScriptCalls second = new ScriptCalls(RedisServer.shared(), waitedFor);
        ScriptCalls third = new ScriptCalls(RedisServer.shared(), others)) {
      second.acquire(second.by("a:1").lease(5000));
      second.await("b:1");
      third.acquire(third.by("b:1").lease(5000));
      String gone = scripts.key + ":gone";

      assertThat(
              renew(
                  List.of(scripts.key, waitedFor, others, gone),
                  List.of(scripts.owner("a:1"), second.owner("a:1"), third.owner("a:1"), "a:1")))
          .containsExactly(1L, 2L, 0L, 0L);

      assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(5000);
      assertThat(scripts.millisLeft(waitedFor)).isGreaterThan(5000);
      assertThat(scripts.millisLeft(others)).as("not ours").isBetween(1L, 5000L);
      assertThat(scripts.exists(gone)).isFalse();
      assertThat(scripts.data()).as("a renewal is no new grant").isEqualTo(data);
      scripts.redis.call("DEL", waitedFor, others);
    }
  }

  @Test
  void aKeyThatIsNoLockCountsAsLostAndHarmsNoOtherInTheBatch() {
    String broken = scripts.key + ":broken";
    scripts.redis.call("SET", broken, "mine", "PX", "60000");
    scripts.acquire(scripts.by("a:1").lease(5000));
    assertThat(renew(List.of(broken, scripts.key), List.of("a:1", scripts.owner("a:1"))))
        .containsExactly(0L, 1L);
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(5000);
    assertThat(scripts.redis.call("GET", broken)).isEqualTo("mine");
    assertThat(scripts.millisLeft(broken)).isGreaterThan(30_000);
    scripts.redis.call("DEL", broken);
  }

  @Test
  void aRenewalGivesALockWithoutALifetimeOneAgain() {
    scripts.acquire("a:1");
    scripts.redis.call("PERSIST", scripts.key);
    renew(List.of(scripts.key), List.of(scripts.owner("a:1")));
    assertThat(scripts.millisLeft(scripts.key)).isBetween(1L, 30_000L);
  }

  @Test
  void aBatchOfHundredsIsAnsweredInOrder() {
    scripts.acquire("a:1");
    List<String> keys = new ArrayList<>();
    List<String> owners = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      keys.add(i % 100 == 7 ? scripts.key : scripts.key + ":" + i);
      owners.add(scripts.owner("a:1"));
    }
    List<Long> results = renew(keys, owners);
    for (int i = 0; i < 500; i++) {
      assertThat(results.get(i)).as("lock %d", i).isEqualTo(i % 100 == 7 ? 1L : 0L);
    }
    assertThat(results).hasSize(500);
    assertThat(renew(List.of(), List.of())).isEmpty();
  }

  @Test
  void theFastPathRenewsHeldLocksAndNamesTheOthers() {
    scripts.acquire(scripts.by("a:1").lease(5000));
    Map<String, String> data = scripts.data();
    String broken = scripts.key + ":broken";
    scripts.redis.call("SET", broken, "mine", "PX", "60000");
    String others = scripts.key + ":others";
    try (ScriptCalls third = new ScriptCalls(RedisServer.shared(), others)) {
      third.acquire(third.by("b:1").lease(5000));

      assertThat(renewLocks(60_000, scripts.key, broken, others, scripts.key + ":gone"))
          .containsExactly(2L, 3L, 4L);

      assertThat(scripts.millisLeft(scripts.key)).isBetween(50_000L, 60_000L);
      assertThat(scripts.data()).as("a renewal is no new grant").isEqualTo(data);
      assertThat(scripts.millisLeft(others)).as("not ours").isBetween(1L, 5000L);
      assertThat(scripts.exists(scripts.key + ":gone")).isFalse();
      assertThat(scripts.redis.call("GET", broken)).isEqualTo("mine");
      assertThat(renewLocks(5000, scripts.key)).isEmpty();
      assertThat(scripts.millisLeft(scripts.key)).as("also a shorter one").isBetween(1L, 5000L);
      scripts.redis.call("DEL", broken, others);
    }
  }

  /** Locks that the owner a:1 holds. */
  private List<Long> renewLocks(long lease, String... locks) {
    String owner = scripts.owner("a:1");
    List<String> args = new ArrayList<>();
    args.add(Long.toString(lease));
    for (int i = 0; i < locks.length; i++) {
      args.add(owner);
    }
    String[] command = ScriptCalls.eval(LuaScript.RENEW_LOCKS, locks, args.toArray(String[]::new));
    return scripts.redis.list(command).stream().map(ScriptCalls::number).toList();
  }

  private List<Long> renew(List<String> locks, List<String> owners) {
    List<Renewal> batch = new ArrayList<>();
    for (int i = 0; i < locks.size(); i++) {
      batch.add(Renewal.ofLock(locks.get(i), owners.get(i)));
    }
    return Renewal.send(scripts.redis, batch);
  }

  // ---- force

  @Test
  void aForcedReleaseTellsTheHolderAndIsAnnounced() {
    String channel = "lock:release:" + scripts.key;
    scripts.inbox("a:1");
    scripts.acquire("a:1");
    try (RedisSubscription releases = scripts.redis.subscribe(channel)) {
      assertThat(scripts.force()).isEqualTo(1);
      assertThat(FlatJson.parse(scripts.upToNow(releases, channel).get(0)))
          .containsEntry("holder", scripts.owner("a:1"));
    }
    assertThat(scripts.told("a:1")).containsExactly(message("lost", scripts.owner("a:1")));
    assertThat(scripts.exists(scripts.key)).isFalse();
  }

  @Test
  void aForcedReleaseServesTheNextWaiter() {
    scripts.acquire("a:1");
    scripts.await("b:1");
    assertThat(scripts.force()).isEqualTo(1);
    assertThat(scripts.data()).containsKey(scripts.owner("b:1"));
    assertThat(scripts.told("b:1")).singleElement().asString().startsWith("granted");
  }

  @Test
  void aFreeLockIsNotForcedOpen() {
    String channel = "lock:release:" + scripts.key;
    try (RedisSubscription releases = scripts.redis.subscribe(channel)) {
      assertThat(scripts.force()).isZero();
      assertThat(scripts.upToNow(releases, channel)).isEmpty();
    }
  }

  @Test
  void aHashThatIsNoLockIsNotForcedOpen() {
    scripts.redis.call("HSET", scripts.key, "name", "Ada", "city", "London");
    try {
      scripts.force();
    } catch (RespException refused) {
      assertThat(refused).hasMessageContaining("lock");
    }
    assertThat(scripts.data()).containsEntry("name", "Ada").containsEntry("city", "London");
  }

  @Test
  void aKeyInOtherUseIsNotForcedOpenAsALock() {
    scripts.redis.call(
        ScriptCalls.eval(LuaScript.LATCH_COUNT, RedisKeys.ofLatch(scripts.key), "set", "3"));
    scripts.redis.call("HSET", scripts.key, scripts.owner("a:1"), "1"); // as in a semaphore
    Map<String, String> data = scripts.data();
    try {
      scripts.force();
    } catch (RespException refused) {
      assertThat(refused).hasMessageContaining("HOLDFAST");
    }
    assertThat(scripts.data()).isEqualTo(data);
  }

  // ---- inspect

  @Test
  void aLockWithoutHolderAndWaitersLooksFree() {
    assertThat(scripts.inspect()).isEqualTo(List.of(-2L, List.of(), List.of()));
  }

  @Test
  void anInspectionShowsHolderAndWaitersInOrderAndChangesNothing() {
    Answer held = scripts.acquire(scripts.by("a:1").lease(20_000));
    scripts.await("c:1");
    scripts.await("b:1");
    Map<String, String> waiters = scripts.hash(RedisKeys.waiters(scripts.key));

    List<?> seen = scripts.inspect();
    assertThat((Long) seen.get(0)).isBetween(10_000L, 20_000L);
    List<?> fields = (List<?>) seen.get(1);
    Map<Object, Object> holder = new HashMap<>();
    for (int i = 0; i < fields.size(); i += 2) {
      holder.put(fields.get(i), fields.get(i + 1));
    }
    assertThat(holder)
        .containsEntry(scripts.owner("a:1"), "1")
        .containsEntry("@meta", "meta of a:1")
        .containsEntry("@tick", Long.toString(held.value()))
        .containsEntry("@since", Long.toString(held.now()));
    assertThat(seen.get(2))
        .isEqualTo(
            List.of(
                scripts.owner("c:1"),
                String.valueOf(waiters.get(scripts.owner("c:1"))),
                scripts.owner("b:1"),
                String.valueOf(waiters.get(scripts.owner("b:1")))));
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).isEqualTo(waiters);
    assertThat(scripts.queue()).containsExactly(scripts.owner("c:1"), scripts.owner("b:1"));
  }

  @Test
  void aPlaceInTheQueueWithoutAWaiterIsNotShown() {
    scripts.acquire("a:1");
    scripts.await("b:1");
    scripts.redis.call("HDEL", RedisKeys.waiters(scripts.key), scripts.owner("b:1"));
    assertThat(scripts.inspect().get(2)).isEqualTo(List.of());
  }
}
