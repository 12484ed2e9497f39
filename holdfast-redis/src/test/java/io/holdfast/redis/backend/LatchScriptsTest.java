package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespException;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The scripts of the count-down latch, called directly. */
@Isolated
class LatchScriptsTest {
  private final ScriptCalls scripts = new ScriptCalls(RedisServer.shared());
  private final String[] keys = RedisKeys.ofLatch(scripts.key);

  @AfterEach
  void disconnect() {
    for (String each : keys) {
      scripts.redis.call("DEL", each);
    }
    scripts.close();
  }

  private @Nullable Object count(String... args) {
    return scripts.redis.call(ScriptCalls.eval(LuaScript.LATCH_COUNT, keys, args));
  }

  private List<?> inspect() {
    return scripts.redis.list(ScriptCalls.eval(LuaScript.LATCH_INSPECT, keys));
  }

  /** 1 if the caller passes, 0 if it waits from now on. */
  private Object pass(String name) {
    return scripts
        .redis
        .list(
            ScriptCalls.eval(
                LuaScript.LATCH_PASS, keys, scripts.owner(name), "meta", "1", "60000", ""))
        .get(0);
  }

  private List<?> owners() {
    List<?> pairs = (List<?>) inspect().get(1);
    return IntStream.range(0, pairs.size() / 2).mapToObj(i -> pairs.get(2 * i)).toList();
  }

  @Test
  void aMissingLatchIsOpenAndHasNoWaiters() {
    assertThat(inspect()).isEqualTo(List.of(0L, List.of()));
    assertThat(count("open")).isEqualTo(0L);
  }

  @Test
  void anInspectionShowsTheCountAndLiveWaitersAndChangesNothing() {
    count("set", "3");
    assertThat(pass("a:1")).isEqualTo(0L);
    assertThat(pass("b:1")).isEqualTo(0L);
    assertThat(inspect().get(0)).isEqualTo(3L);
    assertThat(owners()).isEqualTo(List.of(scripts.owner("a:1"), scripts.owner("b:1")));
    scripts.pretendDead("a:1");
    assertThat(owners()).isEqualTo(List.of(scripts.owner("b:1")));
    assertThat(scripts.hash(RedisKeys.waiters(scripts.key))).hasSize(2);
  }

  @Test
  void openingByHandReleasesThePresentWaitersOnly() {
    count("set", "1000");
    pass("a:1");
    assertThat(count("open")).isEqualTo(1L);
    assertThat(scripts.exists(scripts.key)).isFalse();
    assertThat(owners()).isEmpty();
    count("set", "2");
    assertThat(owners()).as("it waits for nothing any more").isEmpty();
    assertThat(pass("a:1")).isEqualTo(1L);
    assertThat(pass("b:1")).isEqualTo(0L);
    assertThat(count("read")).isEqualTo(2L);
  }

  @Test
  void aKeyInOtherUseIsRejectedAndNotChanged() {
    scripts.acquire("a:1");
    assertThatThrownBy(this::inspect)
        .isInstanceOf(RespException.class)
        .hasMessageContaining("in use as a lock");
    assertThatThrownBy(() -> count("open")).isInstanceOf(RespException.class);
    assertThat(scripts.release("a:1")).isEqualTo(1);
  }
}
