package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Isolated
class LuaScriptTest {
  @ParameterizedTest
  @EnumSource
  void theServerComputesTheSameHash(LuaScript script) {
    try (RespClient redis = RedisServer.shared().client()) {
      assertThat(redis.call("SCRIPT", "LOAD", script.text())).isEqualTo(script.sha());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aScriptDocumentsItsKeysArgumentsAndAnswer(LuaScript script) {
    assertThat(LuaSource.read(script.resource())).contains("\n-- KEYS", "\n-- gives");
  }

  @ParameterizedTest
  @EnumSource
  void aScriptIsPlainAsciiAndDefinesNoGlobals(LuaScript script) {
    assertThat(script.text()).matches("[\\x20-\\x7e\\n]+");
    assertThat(script.text()).doesNotContainPattern("(?m)^function ");
  }

  /** A new connection loads all scripts. */
  @Test
  void theServerGetsLittleText() {
    int all = Arrays.stream(LuaScript.values()).mapToInt(script -> script.text().length()).sum();
    assertThat(all).isLessThan(80_000);
  }

  @Test
  void allScriptsDiffer() {
    assertThat(Arrays.stream(LuaScript.values()).map(LuaScript::sha)).doesNotHaveDuplicates();
  }
}
