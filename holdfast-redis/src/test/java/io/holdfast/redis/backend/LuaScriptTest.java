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
  void theServerKnowsAScriptByTheNameWeCallItBy(LuaScript script) {
    try (RespClient redis = RedisServer.shared().client()) {
      assertThat(redis.call("SCRIPT", "LOAD", script.text())).isEqualTo(script.sha());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aScriptSaysWhatItTakesAndGives(LuaScript script) {
    String[] parts = script.text().split("\n-- KEYS", -1);
    assertThat(parts).as("one header, in the script itself").hasSize(2);
    String own = "-- KEYS" + parts[1];
    assertThat(own).contains("-- KEYS", "-- gives");
  }

  @ParameterizedTest
  @EnumSource
  void aScriptIsPlainAsciiAndDefinesNoGlobals(LuaScript script) {
    assertThat(script.text()).matches("[\\x20-\\x7e\\n]+");
    assertThat(script.text()).doesNotContainPattern("(?m)^function ");
  }

  @Test
  void noTwoScriptsAreTheSame() {
    assertThat(Arrays.stream(LuaScript.values()).map(LuaScript::sha)).doesNotHaveDuplicates();
  }
}
