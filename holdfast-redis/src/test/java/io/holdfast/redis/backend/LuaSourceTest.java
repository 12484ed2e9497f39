package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class LuaSourceTest {
  @Test
  void aFragmentStandsWhereItIsIncluded() {
    assertThat(assemble("one()\n--@include part\ntwo()", "shared()"))
        .isEqualTo("one()\nshared()\ntwo()\n");
  }

  @Test
  void aFragmentIsIncludedOnce() {
    assertThat(assemble("--@include part\n--@include part\nend()", "shared()"))
        .isEqualTo("shared()\nend()\n");
  }

  @Test
  void aFragmentIncludesWhatItNeeds() {
    Map<String, String> resources =
        Map.of(
            "script", "--@include a\n--@include b\nrun()",
            "a", "--@include b\na()",
            "b", "b()");
    assertThat(LuaSource.of("script", resources::get)).isEqualTo("b()\na()\nrun()\n");
  }

  @Test
  void commentsIndentationAndEmptyLinesStayBehind() {
    assertThat(assemble("-- why\n\nif x then\n  y() -- z\n  -- more\nend\n", ""))
        .isEqualTo("if x then\ny() -- z\nend\n");
  }

  @Test
  void aMissingFragmentIsNamed() {
    assertThatThrownBy(() -> LuaSource.of("no_such_script")).hasMessageContaining("no_such_script");
  }

  private static String assemble(String script, String part) {
    return LuaSource.of("script", Map.of("script", script, "part", part)::get);
  }
}
