package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.WINDOW;
import static io.holdfast.redis.backend.ScriptCalls.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RedisSubscription;
import io.holdfast.testservers.RespException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The queue, hand-overs and messages, by calling the scripts directly. */
@Isolated
class RedisQueueTest {
  private ScriptCalls scripts;

  @BeforeEach
  void lockIsTaken() {
    scripts = new ScriptCalls(RedisServer.shared());
    scripts.inbox("a:1");
    scripts.acquire("a:1");
  }

  @AfterEach
  void clean() {
    scripts.close();
  }

  // ---- in the queue

  @Test
  void anAttemptWithoutWaitingLeavesNoTraceAndSendsNoMessage() {
    scripts.acquire("b:1");
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
    assertThat(scripts.told("a:1")).isEmpty();
  }

  @Test
  void aWaitingAttemptIsRemembered() {
    Answer answer =
        scripts.acquire(
            scripts.by("b:1").lease(7000).meta("b\u001fhere").note("my note").orWait(4000));
    assertThat(answer.granted()).isFalse();
    String now = Long.toString(answer.now());
    assertThat(scripts.waiter("b:1"))
        .containsExactly(
            now, Long.toString(answer.now() + 4_000_000), "7000", "1", "my note", "b\u001fhere");
    assertThat(scripts.queue()).containsExactly(scripts.owner("b:1"));
    assertThat(
            ScriptCalls.text(
                scripts.redis.call("ZSCORE", RedisKeys.queue(scripts.key), scripts.owner("b:1"))))
        .isEqualTo(now);
  }

  @Test
  void aRepeatedAttemptKeepsThePlaceAndTheTimeOfArrivalAndProvesLife() {
    Answer first = scripts.await("b:1");
    scripts.await("c:1");
    Answer again = scripts.acquire(scripts.by("b:1").lease(9000).meta("other").orWait(3000));
    assertThat(scripts.queue()).containsExactly(scripts.owner("b:1"), scripts.owner("c:1"));
    assertThat(again.now()).isGreaterThan(first.now());
    assertThat(scripts.waiter("b:1"))
        .containsExactly(
            Long.toString(first.now()),
            Long.toString(again.now() + 3_000_000),
            "9000",
            "1",
            "",
            "other");
  }

  @Test
  void theNoteIsThatOfTheLastAttemptAndIsNotPartOfTheGrant() {
    String hostile = "%d%s \u0000 \n \"quoted\" \ud83d\ude00 ".repeat(100);
    scripts.inbox("b:1");
    scripts.acquire(scripts.by("b:1").note("first").orWait(60_000));
    scripts.acquire(scripts.by("b:1").note(hostile).orWait(60_000));
    assertThat(scripts.waiter("b:1")[4]).isEqualTo(hostile);
    assertThat(scripts.waiter("b:1")[5]).isEqualTo("meta of b:1");
    scripts.release("a:1");
    assertThat(scripts.data())
        .containsKey(scripts.owner("b:1"))
        .containsEntry("@meta", "meta of b:1")
        .hasSize(4);
  }

  @Test
  void theQueueVanishesSomeTimeAfterTheLastSignOfLife() {
    scripts.acquire(scripts.by("b:1").orWait(3000));
    assertThat(scripts.millisLeft(RedisKeys.queue(scripts.key))).isBetween(3000L, 9000L);
    assertThat(scripts.millisLeft(RedisKeys.waiters(scripts.key))).isBetween(3000L, 9000L);

    scripts.acquire(scripts.by("c:1").orWait(10));
    assertThat(scripts.millisLeft(RedisKeys.queue(scripts.key)))
        .as("a waiter of little patience does not shorten it")
        .isGreaterThan(1000);
    assertThat(scripts.millisLeft(RedisKeys.waiters(scripts.key))).isGreaterThan(1000);

    scripts.acquire(scripts.by("c:1").orWait(30_000));
    assertThat(scripts.millisLeft(RedisKeys.queue(scripts.key))).isGreaterThan(30_000);
    assertThat(scripts.millisLeft(RedisKeys.waiters(scripts.key))).isGreaterThan(30_000);
  }

  @Test
  void deadWaitersVanishByThemselves() {
    scripts.acquire(scripts.by("b:1").orWait(20));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                !scripts.exists(RedisKeys.queue(scripts.key))
                    && !scripts.exists(RedisKeys.waiters(scripts.key)));
    assertThat(scripts.exists(scripts.key)).isTrue();
    assertThat(scripts.told("a:1")).hasSize(1);
  }

  @Test
  void aWaiterThatGivesUpLeavesTheQueueAndNothingElseChanges() {
    scripts.await("b:1");
    scripts.await("c:1");
    Map<String, String> data = scripts.data();
    assertThat(scripts.release("b:1")).isZero();
    assertThat(scripts.queue()).containsExactly(scripts.owner("c:1"));
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).containsOnlyKeys(scripts.owner("c:1"));
    assertThat(scripts.data()).isEqualTo(data);
    assertThat(scripts.release("c:1")).isZero();
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  // ---- messages to the holder

  @Test
  void theFirstWaiterAndEveryRepeatedAttemptTellTheHolder() {
    heldSince(scripts.serverMicros() + 3_600_000_000L); // not for long, however slow this test is
    String byFirst = contended("a:1", scripts.await("b:1"));
    assertThat(scripts.told("a:1")).containsExactly(byFirst);
    scripts.await("c:1");
    assertThat(scripts.told("a:1")).as("it knows that others wait").containsExactly(byFirst);
    scripts.await("c:1");
    scripts.await("b:1");
    assertThat(scripts.told("a:1"))
        .as("a message may have been lost, that of the first among them")
        .containsExactly(byFirst, byFirst, byFirst);
  }

  @Test
  void everyNewWaiterTellsALongHolder() {
    String byFirst = contended("a:1", scripts.await("b:1"));
    heldSince(scripts.serverMicros() - 150_000);
    scripts.await("c:1");
    assertThat(scripts.told("a:1"))
        .as("the only message may have been lost, and its sender gone")
        .containsExactly(byFirst, byFirst);
  }

  private void heldSince(long serverMicros) {
    scripts.redis.call("HSET", scripts.key, "@since", Long.toString(serverMicros));
  }

  /** The messages that a new waiter sends to the holder. */
  private String contended(String holder, Answer waiting) {
    return message("wanted", scripts.owner(holder), waiting.now());
  }

  @Test
  void aHolderWithoutOtherWaitersIsToldOnceMore() {
    scripts.await("b:1");
    scripts.release("a:1");
    assertThat(scripts.told("b:1")).noneMatch(told -> told.startsWith("wanted"));
    String contended = contended("b:1", scripts.await("c:1"));
    assertThat(scripts.told("b:1")).contains(contended);
  }

  @Test
  void aHolderThatTakesTheLockAgainLearnsOfWaiters() {
    assertThat(scripts.acquire("a:1").contended()).isFalse();
    scripts.await("b:1");
    assertThat(scripts.acquire("a:1").contended()).isTrue();
  }

  // ---- hand-over

  @Test
  void aReleaseGivesTheLockToTheFirstWaiter() {
    scripts.await("c:1");
    Answer next = scripts.await("b:1");
    scripts.release("a:1");

    assertThat(scripts.data())
        .hasSize(4)
        .containsEntry(scripts.owner("c:1"), "1")
        .containsEntry("@meta", "meta of c:1");
    assertThat(scripts.queue()).containsExactly(scripts.owner("b:1"));
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).containsOnlyKeys(scripts.owner("b:1"));
    assertThat(scripts.told("c:1"))
        .containsExactly(
            message(
                "granted",
                scripts.owner("c:1"),
                scripts.data("@tick"),
                scripts.data("@since"),
                WINDOW,
                next.now(),
                "lock",
                scripts.key));
    assertThat(scripts.told("b:1")).isEmpty();

    scripts.release("c:1");
    assertThat(scripts.told("b:1"))
        .containsExactly(
            message(
                "granted",
                scripts.owner("b:1"),
                scripts.data("@tick"),
                scripts.data("@since"),
                WINDOW,
                0,
                "lock",
                scripts.key));
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void aWaiterThatHasWaitedInItsProcessComesBeforeLaterOnes() {
    Answer late = scripts.await("b:1");
    Answer early = scripts.await("c:1", 60_000_000);
    scripts.await("d:1", 1);
    assertThat(scripts.queue())
        .containsExactly(scripts.owner("c:1"), scripts.owner("b:1"), scripts.owner("d:1"));
    assertThat(scripts.waiter("c:1")[0]).isEqualTo(Long.toString(early.now() - 60_000_000));
    scripts.await("b:1", 120_000_000); // the waiter is known already
    assertThat(scripts.waiter("b:1")[0]).isEqualTo(Long.toString(late.now()));
    scripts.release("a:1");
    assertThat(InboxMessage.parse(scripts.told("c:1").get(0)))
        .isInstanceOfSatisfying(
            InboxMessage.Granted.class,
            granted -> assertThat(granted.othersSinceMicros()).isEqualTo(late.now()));
  }

  /** The script takes another path when the lock is free. */
  @Test
  void anEarlierWaiterComesBeforeOthersEvenIfALaterOneHasJustGotTheLock() {
    scripts.await("b:1");
    Answer late = scripts.await("c:1");
    scripts.redis.call("DEL", scripts.key); // as if its lease had ended
    assertThat(scripts.await("d:1", 1_000_000).granted()).isFalse();
    assertThat(scripts.data()).containsKey(scripts.owner("b:1"));
    assertThat(scripts.queue()).containsExactly(scripts.owner("d:1"), scripts.owner("c:1"));
    assertThat(scripts.told("b:1")).anyMatch(told -> told.contains(Long.toString(late.now())));
    assertThat(scripts.told("b:1"))
        .contains(message("wanted", scripts.owner("b:1"), scripts.waiter("d:1")[0]));
  }

  @Test
  void aWaiterThatCameBeforeTheKnownOnesTellsTheHolder() {
    scripts.await("b:1");
    scripts.await("c:1", 1); // behind the waiter that the holder knows of
    List<String> before = scripts.told("a:1");
    scripts.await("d:1", 1_000_000);
    List<String> told = scripts.told("a:1");
    assertThat(told.subList(before.size(), told.size()))
        .containsExactly(message("wanted", scripts.owner("a:1"), scripts.waiter("d:1")[0]));
  }

  @Test
  void whoTakesALockThatOthersWaitForLearnsSinceWhen() {
    Answer waiting = scripts.await("b:1");
    Answer again = scripts.acquire("a:1");
    assertThat(again.granted()).isTrue();
    assertThat(again.othersSince()).isEqualTo(waiting.now());
  }

  @Test
  void theBackendReadsTheMessageOfAGrant() {
    scripts.await("b:1");
    scripts.release("a:1");
    InboxMessage message = InboxMessage.parse(scripts.told("b:1").get(0));
    assertThat(message)
        .isEqualTo(
            new InboxMessage.Granted(
                Owner.parse(scripts.owner("b:1")),
                Long.parseLong(scripts.data("@tick")),
                Long.parseLong(scripts.data("@since")),
                WINDOW,
                0,
                Resource.lock(scripts.key)));
  }

  @Test
  void aGrantByReleaseIsShortUntilTheNewHolderRenewsIt() {
    scripts.await("b:1");
    scripts.release("a:1");
    assertThat(scripts.millisLeft(scripts.key)).isBetween(1L, WINDOW);

    long tick = Long.parseLong(scripts.data("@tick"));
    Answer claimed = scripts.acquire(scripts.by("b:1").orWait(3000));
    assertThat(claimed.granted()).isTrue();
    assertThat(claimed.value()).isGreaterThan(tick);
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(WINDOW);
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
  }

  @Test
  void aGrantByReleaseIsNeverLongerThanTheRequestedLease() {
    scripts.inbox("b:1");
    scripts.acquire(scripts.by("b:1").lease(5000).orWait(3000));
    scripts.release("a:1");
    assertThat(scripts.millisLeft(scripts.key)).isBetween(1L, 5000L);
    assertThat(scripts.told("b:1")).singleElement().asString().contains("\u001f5000\u001f");
  }

  @Test
  void aDeadWaiterIsPassedOver() {
    scripts.await("b:1");
    scripts.await("c:1");
    scripts.pretendDead("b:1");
    scripts.release("a:1");
    assertThat(scripts.data()).containsKey(scripts.owner("c:1"));
    assertThat(scripts.told("b:1")).isEmpty();
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void aWaiterWithoutAnInboxIsPassedOver() {
    scripts.acquire(scripts.by("b:1").orWait(3000));
    scripts.await("c:1");
    scripts.release("a:1");
    assertThat(scripts.data()).containsKey(scripts.owner("c:1"));
    assertThat(scripts.queue()).isEmpty();
  }

  @Test
  void aWaiterWithMalformedDataIsPassedOver() {
    for (String bad : List.of("b:1", "b:2", "b:3", "b:4")) {
      scripts.await(bad);
    }
    scripts.await("c:1");
    String waiters = RedisKeys.waiters(scripts.key);
    scripts.redis.call("HSET", waiters, scripts.owner("b:1"), "nonsense");
    scripts.redis.call("HDEL", waiters, scripts.owner("b:2"));
    scripts.redis.call("HSET", waiters, scripts.owner("b:3"), "");
    scripts.redis.call(
        "HSET", waiters, scripts.owner("b:4"), message("1", "-5e99", "30000", "1", "", "meta"));
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThat(scripts.data()).containsKey(scripts.owner("c:1"));
    assertThat(scripts.told("b:1")).isEmpty();
  }

  @Test
  void aReleaseIsAnnouncedOnceEvenIfManyWaitersCannotBeTold() {
    String channel = "lock:release:" + scripts.key;
    try (RedisSubscription world = scripts.redis.subscribe(channel)) {
      scripts.acquire(scripts.by("b:1").orWait(3000));
      scripts.acquire(scripts.by("b:2").orWait(3000));
      scripts.await("c:1");
      assertThat(scripts.release("a:1")).isEqualTo(1);
      assertThat(scripts.data()).containsKey(scripts.owner("c:1"));
      assertThat(scripts.release("c:1")).isEqualTo(1);
      assertThat(scripts.upToNow(world, channel))
          .extracting(message -> FlatJson.parse(message).get("holder"))
          .containsExactly(scripts.owner("a:1"), scripts.owner("c:1"));
    }
  }

  @Test
  void aReleaseStandsEvenIfTheWaitersCannotBeRead() {
    scripts.await("b:1");
    String waiters = RedisKeys.waiters(scripts.key);
    scripts.redis.call("DEL", waiters);
    scripts.redis.call("SET", waiters, "no hash");
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThat(scripts.exists(scripts.key)).isFalse();
    scripts.redis.call("DEL", waiters);
  }

  @Test
  void theLockIsFreeWhenAllWaitersAreDead() {
    scripts.await("b:1");
    scripts.await("c:1");
    scripts.pretendDead("b:1");
    scripts.pretendDead("c:1");
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThat(scripts.redis.list("KEYS", "*" + scripts.key + "*")).isEmpty();
  }

  @Test
  void aReleaseStandsEvenIfTheNextWaiterCannotBeServed() {
    try (RedisServer own = RedisServer.builder().start();
        ScriptCalls broken = new ScriptCalls(own)) {
      broken.acquire("a:1");
      broken.await("b:1");
      broken.redis.call("DEL", RedisKeys.FENCE);
      broken.redis.call("RPUSH", RedisKeys.FENCE, "not a number");
      assertThat(broken.release("a:1")).isEqualTo(1);
      assertThat(broken.exists(broken.key)).isFalse();
    }
  }

  // ---- an ended lease

  @Test
  void aFreeLockGoesToTheFirstWaiterAndNotToALaterOne() {
    scripts.await("b:1");
    scripts.redis.call("DEL", scripts.key);
    Answer late = scripts.await("c:1");
    assertThat(late.granted()).isFalse();
    assertThat(late.value()).isBetween(1L, WINDOW);
    assertThat(scripts.data()).containsKey(scripts.owner("b:1"));
    assertThat(scripts.told("b:1"))
        .as("granted, and wanted by the caller")
        .hasSize(2)
        .last()
        .isEqualTo(contended("b:1", late));
    assertThat(scripts.queue()).containsExactly(scripts.owner("c:1"));
  }

  @Test
  void aFreeLockDoesNotGoToACallerThatDoesNotWaitWhileOthersDo() {
    scripts.await("b:1");
    scripts.redis.call("DEL", scripts.key);
    assertThat(scripts.acquire("c:1").granted()).isFalse();
    assertThat(scripts.data()).containsKey(scripts.owner("b:1"));
    assertThat(scripts.queue()).isEmpty();
  }

  @Test
  void theFirstWaiterTakesAFreeLockItselfForTheWholeLease() {
    scripts.await("b:1");
    scripts.await("c:1");
    scripts.redis.call("DEL", scripts.key);
    Answer answer = scripts.await("b:1");
    assertThat(answer.granted()).isTrue();
    assertThat(answer.contended()).isTrue();
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(WINDOW);
    assertThat(scripts.told("b:1")).as("the answer says it all").isEmpty();
    assertThat(scripts.queue()).containsExactly(scripts.owner("c:1"));
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).containsOnlyKeys(scripts.owner("c:1"));
  }

  @Test
  void aLaterWaiterTakesAFreeLockWhenAllEarlierOnesAreDead() {
    scripts.await("b:1");
    scripts.acquire(scripts.by("d:1").orWait(3000));
    scripts.await("c:1");
    scripts.pretendDead("b:1");
    scripts.redis.call("DEL", scripts.key);
    Answer answer = scripts.await("c:1");
    assertThat(answer.granted()).isTrue();
    assertThat(answer.contended()).isFalse();
    assertThat(scripts.millisLeft(scripts.key)).isGreaterThan(WINDOW);
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
  }

  @Test
  void aNewcomerTakesAFreeLockWhenAllWaitersAreDead() {
    scripts.await("b:1");
    scripts.pretendDead("b:1");
    scripts.redis.call("DEL", scripts.key);
    Answer answer = scripts.acquire("c:1");
    assertThat(answer.granted()).isTrue();
    assertThat(answer.contended()).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void anUnclaimedGrantEndsSoonAndTheNextWaiterIsServed() {
    scripts.await("b:1");
    scripts.await("c:1");
    scripts.release("a:1", 0, 300);
    assertThat(scripts.told("b:1")).singleElement().asString().contains("\u001f300\u001f");
    await().atMost(Duration.ofSeconds(60)).until(() -> scripts.await("c:1").granted());
    assertThat(scripts.data()).doesNotContainKey(scripts.owner("b:1"));
  }

  @Test
  void numbersAreWrittenInDigitsEverywhere() {
    scripts.await("b:1");
    scripts.await("c:1");
    for (String time : List.of(scripts.waiter("b:1")).subList(0, 2)) {
      assertThat(time).matches("\\d{16}");
    }
    scripts.release("a:1");
    String[] granted = scripts.told("b:1").get(0).split(ScriptCalls.SEPARATOR, 8);
    assertThat(granted[2]).matches("\\d{16}");
    assertThat(granted[3]).matches("\\d{16}");
    assertThat(granted[4]).isEqualTo(Long.toString(WINDOW));
    assertThat(granted[5]).matches("\\d{16}");
    assertThat(scripts.data("@tick")).matches("\\d{16}");
    assertThat(scripts.data("@since")).matches("\\d{16}");
    assertThat(scripts.hash(RedisKeys.FENCE).get(ScriptCalls.bucket(scripts.key)))
        .matches("\\d{16}");
  }

  @Test
  void aQueueOfAnotherTypeIsRejectedAndTheLockIsNotChanged() {
    scripts.redis.call("SET", RedisKeys.queue(scripts.key), "strange", "PX", "60000");
    Map<String, String> data = scripts.data();
    assertThatThrownBy(() -> scripts.acquire(scripts.by("b:1").orWait(3000)))
        .isInstanceOf(RespException.class)
        .hasMessageContaining("WRONGTYPE");
    assertThat(scripts.data()).isEqualTo(data);
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThat(scripts.exists(scripts.key)).isFalse();
  }
}
