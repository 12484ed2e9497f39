package io.holdfast.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final StringWriter text = new StringWriter();

  @Test
  void everyStepSaysHowFarItIs() {
    Progress progress = new Progress(new PrintWriter(text), false, 4);
    for (String step : new String[] {"one", "two", "three", "four"}) {
      progress.step(step);
    }
    assertThat(text.toString().lines())
        .containsExactly(
            "[------------------------]   0 % one",
            "[######------------------]  25 % two",
            "[############------------]  50 % three",
            "[##################------]  75 % four");
  }

  @Test
  void moreStepsThanPlannedAreAllOfThem() {
    Progress progress = new Progress(new PrintWriter(text), false, 1);
    for (int i = 0; i < 3; i++) {
      progress.step("step");
    }
    assertThat(text.toString().lines())
        .last()
        .asString()
        .startsWith("[########################] 100 %");
  }

  @Test
  void onATerminalTheLineIsWrittenOver() {
    Progress progress = new Progress(new PrintWriter(text), true, 2);
    progress.step("one");
    progress.step("two");
    assertThat(text.toString()).doesNotContain("\n").contains("\r\u001b[K");
  }
}
