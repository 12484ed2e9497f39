package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.testservers.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A waiter that no message reaches, by calling the scripts directly: "deaf" has no subscription to
 * its inbox.
 */
@Isolated
class PassedOverTest {
  private static final long MINUTE = 60_000_000;

  private ScriptCalls scripts;

  @BeforeEach
  void lockIsTaken() {
    scripts = new ScriptCalls(RedisServer.shared());
    scripts.acquire("a:1");
  }

  @AfterEach
  void clean() {
    scripts.close();
  }

  @Test
  void aDeadWaiterCostsNoTimeAndLeavesNothing() {
    ask("deaf:1", 0);
    scripts.await("b:1");
    scripts.release("a:1");
    assertThat(scripts.data()).containsKey(scripts.owner("b:1"));
    assertThat(scripts.exists(RedisKeys.queue(scripts.key))).isFalse();
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
    scripts.release("b:1");
    assertThat(scripts.exists(scripts.key)).isFalse();
  }

  @Test
  void aWaiterThatAsksAgainGetsItsOldPlaceAndLearnsThatItWasPassedOver() {
    ask("deaf:1", 0);
    scripts.await("b:1");
    scripts.release("a:1");
    scripts.await("c:1");
    scripts.await("d:1", 2 * MINUTE);
    Answer again = ask("deaf:1", MINUTE);
    assertThat(again.granted()).isFalse();
    assertThat(again.passedOver()).isTrue();
    assertThat(scripts.queue())
        .containsExactly(scripts.owner("d:1"), scripts.owner("deaf:1"), scripts.owner("c:1"));
    assertThat(ask("deaf:1", MINUTE).passedOver()).as("once").isFalse();
    assertThat(ask("e:1", 0).passedOver()).isFalse();
  }

  @Test
  void aWaiterThatHasAskedAgainGetsTheLockWithoutAMessage() {
    ask("deaf:1", 0);
    scripts.await("b:1");
    scripts.release("a:1");
    ask("deaf:1", MINUTE);
    scripts.await("c:1");
    scripts.release("b:1");
    assertThat(scripts.data()).containsKey(scripts.owner("deaf:1"));
    assertThat(scripts.millisLeft(scripts.key)).isBetween(1L, ScriptCalls.WINDOW);
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).containsOnlyKeys(scripts.owner("c:1"));
    assertThat(ask("deaf:1", MINUTE).granted()).isTrue();
    scripts.release("deaf:1");
    assertThat(scripts.data()).containsKey(scripts.owner("c:1"));
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void aWaiterThatReceivesMessagesAgainIsToldAndLeavesNoMark() {
    ask("deaf:1", 0);
    scripts.release("a:1");
    scripts.acquire("b:1");
    ask("deaf:1", MINUTE);
    scripts.inbox("deaf:1");
    scripts.release("b:1");
    assertThat(scripts.data()).containsKey(scripts.owner("deaf:1"));
    assertThat(scripts.told("deaf:1")).singleElement().asString().startsWith("granted");
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  @Test
  void aWaiterThatGivesUpLeavesNoMark() {
    ask("deaf:1", 0);
    scripts.release("a:1");
    scripts.acquire("b:1");
    ask("deaf:1", MINUTE);
    scripts.release("deaf:1");
    assertThat(scripts.exists(RedisKeys.waiters(scripts.key))).isFalse();
  }

  private Answer ask(String name, long queuedMicros) {
    return scripts.acquire(scripts.by(name).orWait(60_000).queued(queuedMicros));
  }
}
