package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private final StringWriter text = new StringWriter();

  private ProgressBar bar(boolean redraws) {
    return new ProgressBar(new Screen(new PrintWriter(text), redraws, false, false), "round");
  }

  @Test
  void inAFileThereIsALineForEachQuarter() {
    ProgressBar bar = bar(false);
    for (int i = 0; i <= 100; i++) {
      bar.update(i / 100.0, i + " sold");
    }
    bar.finish("100 sold");
    assertThat(text.toString().lines())
        .containsExactly(
            "  round  #######.......................  25 %  25 sold",
            "  round  ###############...............  50 %  50 sold",
            "  round  ######################........  75 %  75 sold",
            "  round  ############################## 100 %  100 sold");
  }

  @Test
  void goingBackPrintsNothingTwice() {
    ProgressBar bar = bar(false);
    for (double share : new double[] {0.3, 0.2, 0.3, 0.49, 0.26}) {
      bar.update(share, "");
    }
    assertThat(text.toString().lines()).hasSize(1);
  }

  @Test
  void onATerminalTheLineIsDrawnOver() {
    ProgressBar bar = bar(true);
    bar.update(0.1, "1 sold");
    bar.update(0.2, "2 sold");
    bar.finish("10 sold");
    assertThat(text.toString().split("\r\033\\[K"))
        .containsExactly(
            "",
            "  round  ###...........................  10 %  1 sold",
            "  round  ######........................  20 %  2 sold",
            "  round  ############################## 100 %  10 sold" + System.lineSeparator());
  }

  @Test
  void aShareOutsideOfTheRangeIsDrawnAtItsEnd() {
    ProgressBar bar = bar(true);
    bar.update(-0.5, "");
    bar.update(1.5, "");
    assertThat(text.toString()).contains(" 0 %").contains(" 100 %");
  }
}
