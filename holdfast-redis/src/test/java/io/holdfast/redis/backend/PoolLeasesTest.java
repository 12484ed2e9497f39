package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A holder of permits that died does not keep them for longer than its lease. */
class PoolLeasesTest {
  private static final long LONG = 60_000;
  private static final long SHORT = 200;

  private ScriptCalls scripts;

  @BeforeEach
  void connect() {
    scripts = new ScriptCalls(RedisServer.shared());
  }

  @AfterEach
  void clean() {
    String key = scripts.key;
    scripts.redis.call(
        "DEL", key, RedisKeys.queue(key), RedisKeys.waiters(key), RedisKeys.leases(key));
    scripts.close();
  }

  @Test
  void aWaiterThatDiedRightAfterItWasGrantedKeepsThePermitForTheWindowOnly() {
    assertThat(acquire("a:1", LONG, false)).isTrue();
    scripts.inbox("b:1");
    assertThat(acquire("b:1", LONG, true)).isFalse();
    assertThat(call(LuaScript.POOL_RELEASE, scripts.owner("a:1"), "0", Long.toString(SHORT)))
        .isEqualTo(1);
    assertThat(scripts.told("b:1")).singleElement().asString().startsWith("granted");
    await().atMost(Duration.ofSeconds(5)).until(() -> acquire("c:1", LONG, false));
  }

  @Test
  void aHolderThatDiedKeepsNothingAfterItsLeaseThoughTheLimitWasChanged() {
    String ms = Long.toString(SHORT);
    assertThat(call(LuaScript.POOL_LIMIT, "0", ms, "semaphore", "1", "2")).isEqualTo(1);
    assertThat(acquire("a:1", SHORT, false)).isTrue();
    assertThat(acquire("b:1", SHORT, false)).isTrue();
    await().atMost(Duration.ofSeconds(5)).until(() -> acquire("c:1", LONG, false));
  }

  /** One permit of one, by declaration. */
  private boolean acquire(String name, long lease, boolean enqueue) {
    List<?> answer =
        scripts.redis.list(
            ScriptCalls.eval(
                LuaScript.POOL_ACQUIRE,
                RedisKeys.ofPool(scripts.key),
                scripts.owner(name),
                Long.toString(lease),
                "meta",
                "0",
                enqueue ? "1" : "0",
                "30000",
                Long.toString(SHORT),
                "semaphore",
                "1",
                "1",
                "0"));
    return ScriptCalls.number(answer.get(0)) == 1;
  }

  private long call(LuaScript script, String... args) {
    return ScriptCalls.number(
        scripts.redis.call(ScriptCalls.eval(script, RedisKeys.ofPool(scripts.key), args)));
  }
}
