package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.redis.OwnRedisServer;
import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.spi.TokenBlock;
import io.holdfast.testservers.RespException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The ticks of fencing tokens grow from grant to grant, whatever happens in between. Has its own
 * server, whose clock and memory the tests change.
 */
@Isolated
class RedisTicksTest {
  private static final long HOUR = 3_600_000_000L;
  @RegisterExtension static final OwnRedisServer SERVER = new OwnRedisServer();

  private ScriptCalls scripts;

  @BeforeEach
  void connect() {
    scripts = new ScriptCalls(SERVER.get());
    scripts.redis.call("FLUSHALL");
  }

  @AfterEach
  void disconnect() {
    scripts.close();
  }

  @Test
  void theFirstTickIsTheTimeOfTheServerInMicroseconds() {
    Answer answer = scripts.acquire("a:1");
    assertThat(answer.value()).isEqualTo(answer.now());
  }

  @Test
  void everyGrantHasALargerTickThanTheOneBefore() {
    long last = 0;
    for (int i = 0; i < 100; i++) {
      Answer answer = scripts.acquire("a:1");
      assertThat(answer.value()).isGreaterThan(last);
      last = answer.value();
      if (i % 2 == 0) {
        scripts.release("a:1");
      }
    }
  }

  @Test
  void ticksGrowAcrossExpiryAndDeletionOfTheLock() {
    long first = scripts.acquire(scripts.by("a:1").lease(1)).value();
    await().atMost(Duration.ofSeconds(60)).until(() -> !scripts.exists(scripts.key));
    long second = scripts.acquire("b:1").value();
    scripts.redis.call("DEL", scripts.key);
    long third = scripts.acquire("a:1").value();
    assertThat(second).isGreaterThan(first);
    assertThat(third).isGreaterThan(second);
  }

  @Test
  void ticksGrowWhenTheServerForgetsThemAll() {
    long first = scripts.acquire("a:1").value();
    scripts.redis.call("DEL", RedisKeys.FENCE);
    long second = scripts.acquire("a:1").value();
    scripts.redis.call("FLUSHALL");
    long third = scripts.acquire("a:1").value();
    assertThat(second).isGreaterThan(first);
    assertThat(third).isGreaterThan(second);
  }

  @Test
  void ticksGrowWhenTheServersClockIsBehindTheFence() {
    long future = scripts.serverMicros() + HOUR;
    scripts.fence(future);
    Answer first = scripts.acquire("a:1");
    assertThat(first.value()).isEqualTo(future + 1);
    assertThat(first.now()).isLessThan(future);
    assertThat(scripts.acquire("a:1").value()).isEqualTo(future + 2);
    assertThat(scripts.fence()).isEqualTo(future + 2);
  }

  @Test
  void ticksGrowWhenTheServersClockIsBehindTheTickOfTheClient() {
    long future = scripts.serverMicros() + HOUR;
    assertThat(scripts.acquire(scripts.by("a:1").floor(future)).value()).isEqualTo(future + 1);
    assertThat(scripts.acquire(scripts.by("a:1").floor(future)).value()).isEqualTo(future + 2);
    scripts.release("a:1");
    assertThat(scripts.acquire("b:1").value())
        .as("another client, which has not seen it")
        .isGreaterThan(future + 2);
  }

  @Test
  void ticksGrowWhenTheServerForgotThemAndItsClockWentBack() {
    long future = scripts.serverMicros() + HOUR;
    scripts.fence(future);
    long seen = scripts.acquire("a:1").value();
    scripts.redis.call("FLUSHALL"); // the fence is gone, and the clock is an hour behind
    assertThat(scripts.acquire(scripts.by("a:1").floor(seen)).value()).isEqualTo(seen + 1);
  }

  @Test
  void aFloorInThePastChangesNothing() {
    Answer answer = scripts.acquire(scripts.by("a:1").floor(17));
    assertThat(answer.value()).isEqualTo(answer.now());
  }

  @Test
  void aGrantByReleaseHasALargerTickThanTheReleaserHasSeen() {
    long future = scripts.serverMicros() + HOUR;
    scripts.acquire("a:1");
    scripts.await("b:1");
    scripts.release("a:1", future);
    assertThat(scripts.data()).containsEntry("@tick", Long.toString(future + 1));
    assertThat(scripts.fence()).isEqualTo(future + 1);
    assertThat(scripts.told("b:1").get(0)).contains("\u001f" + (future + 1) + "\u001f");
  }

  @Test
  void aGrantByReleaseHasALargerTickThanTheServerRemembers() {
    scripts.acquire("a:1");
    scripts.await("b:1");
    long future = scripts.serverMicros() + HOUR;
    scripts.fence(future);
    scripts.release("a:1");
    long tick = Long.parseLong(scripts.data("@tick"));
    assertThat(tick).isGreaterThan(future);
    assertThat(scripts.fence()).isEqualTo(tick);
  }

  @Test
  void aGrantByReleaseAndTheClaimThatFollowsHaveTicksOfTheirOwn() {
    long first = scripts.acquire("a:1").value();
    scripts.await("b:1");
    scripts.release("a:1");
    long pushed = Long.parseLong(scripts.data("@tick"));
    long claimed = scripts.acquire("b:1").value();
    assertThat(pushed).isGreaterThan(first);
    assertThat(claimed).isGreaterThan(pushed);
  }

  @Test
  void theTicksOfAllLocksAreInOneKeyThatNeverExpires() {
    scripts.acquire("a:1");
    try (ScriptCalls other = new ScriptCalls(SERVER.get())) {
      other.acquire("a:1");
    }
    assertThat(scripts.redis.list("KEYS", "holdfast:*")).hasSize(1);
    assertThat(scripts.millisLeft(RedisKeys.FENCE)).isEqualTo(-1);
  }

  @Test
  void theFenceHasAFewThousandFieldsForAnyNumberOfKeys() {
    for (int i = 0; i < 300; i++) {
      try (ScriptCalls other = new ScriptCalls(SERVER.get(), "name " + i + " \u00e9\ud83d\ude00")) {
        other.acquire("a:1");
        assertThat(other.fence()).isPositive();
      }
    }
    assertThat(scripts.hash(RedisKeys.FENCE).keySet())
        .hasSizeBetween(250, 301)
        .allMatch(field -> field.matches("[0-9a-f]{3}|@about"));
  }

  @Test
  void theTickOfOneKeyDoesNotDisturbAnother() {
    long future = scripts.serverMicros() + HOUR;
    try (ScriptCalls other = new ScriptCalls(SERVER.get(), keyInAnotherBucket())) {
      other.acquire(other.by("b:1").floor(future));
      Answer answer = scripts.acquire("a:1");
      assertThat(answer.value()).isEqualTo(answer.now());
      assertThat(other.fence()).isEqualTo(future + 1);
    }
  }

  private String keyInAnotherBucket() {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> scripts.key + i)
        .filter(key -> !ScriptCalls.bucket(key).equals(ScriptCalls.bucket(scripts.key)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void largeTicksAreCountedExactly() {
    long large = (1L << 52) - 10;
    scripts.fence(large);
    for (int i = 1; i < 10; i++) {
      assertThat(scripts.acquire("a:1").value()).isEqualTo(large + i);
      assertThat(scripts.fence()).isEqualTo(large + i);
      assertThat(TokenBlock.ofTick(large + i).first()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"not a number", "", "-5", "inf", "nan", "1e300", "0x7fffffffffffff", "1 "})
  void aMalformedFenceCountsAsForgotten(String garbage) {
    long seen = scripts.acquire("a:1").value();
    scripts.fence(garbage);
    Answer answer = scripts.acquire("a:1");
    assertThat(answer.value()).isGreaterThan(seen).isEqualTo(answer.now());
    assertThat(scripts.fence()).isEqualTo(answer.value());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"not a number", "", "-5", "inf", "nan", "1e300", "0x7fffffffffffff", "1 "})
  void aMalformedFenceCountsAsForgottenForAFreeLockToo(String garbage) {
    long seen = scripts.acquire("a:1").value();
    scripts.release("a:1");
    scripts.fence(garbage);
    Answer answer = scripts.acquire("a:1");
    assertThat(answer.value()).isGreaterThan(seen).isEqualTo(answer.now());
    assertThat(scripts.fence()).isEqualTo(answer.value());
    assertThat(scripts.data("@tick")).isEqualTo(Long.toString(answer.value()));
  }

  @Test
  void ticksOfAFreeLockGrowToo() {
    long future = scripts.serverMicros() + HOUR;
    scripts.fence(future);
    assertThat(scripts.acquire("a:1").value()).isEqualTo(future + 1);
    scripts.release("a:1");
    assertThat(scripts.fence()).as("a release moves it on").isEqualTo(future + 2);
    assertThat(scripts.acquire(scripts.by("a:2").floor(future + HOUR)).value())
        .isEqualTo(future + HOUR + 1);
  }

  @Test
  void aFenceOfAnotherTypeStopsGrantsButNoReleases() {
    scripts.acquire("a:1");
    scripts.redis.call("DEL", RedisKeys.FENCE);
    scripts.redis.call("SET", RedisKeys.FENCE, "1700000000000000");
    assertThat(scripts.release("a:1")).isEqualTo(1);
    assertThatThrownBy(() -> scripts.acquire("a:1"))
        .isInstanceOf(RespException.class)
        .hasMessageContaining("WRONGTYPE");
    assertThat(scripts.exists(scripts.key)).isFalse();
  }
}
