package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.backend.ScriptCalls.Answer;
import io.holdfast.testservers.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Client and server agree on the bucket of a key, and the memory for names stays small. */
@Isolated
class LockNamesTest {
  @ParameterizedTest
  @ValueSource(strings = {"orders", "user:profile:1001", "Schlüssel {für} alles", "錠\n前"})
  void theServerComputesTheSameBucket(String key) {
    try (ScriptCalls scripts = new ScriptCalls(RedisServer.shared())) {
      Object bucket =
          scripts.redis.call("EVAL", "return string.sub(redis.sha1hex(KEYS[1]), 1, 3)", "1", key);
      assertThat(LockNames.of(key).bucket()).isEqualTo(bucket);
    }
  }

  /** The fast path of acquire uses the given bucket; the rest of the script computes it. */
  @Test
  void fastAndSlowPathUseTheSameBucket() {
    try (ScriptCalls scripts = new ScriptCalls(RedisServer.shared())) {
      Answer first = scripts.acquire("a:1");
      String bucket = LockNames.of(scripts.key).bucket();
      assertThat(scripts.hash(RedisKeys.FENCE)).containsEntry(bucket, Long.toString(first.value()));
      Answer again = scripts.acquire("a:1"); // held: not the fast path
      assertThat(scripts.hash(RedisKeys.FENCE)).containsEntry(bucket, Long.toString(again.value()));
    }
  }

  @Test
  void theMemoryStaysSmall() {
    LockNames.Memory names = new LockNames.Memory(LockNames::of);
    LockNames first = names.of("key 0");
    assertThat(names.of("key 0")).isSameAs(first);
    for (int i = 0; i < 5 * LockNames.Memory.MOST; i++) {
      names.of("key " + i);
    }
    names.of("k".repeat(100_000));
    assertThat(names.size()).isBetween(1, LockNames.Memory.MOST);
    assertThat(names.of("key 0").keys()).isEqualTo(RedisKeys.of("key 0"));
  }
}
