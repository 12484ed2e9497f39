package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TableTest {
  private final StringWriter text = new StringWriter();

  private Table table(boolean colors) {
    return new Table(new Screen(new PrintWriter(text), false, colors, false), "round", "sold");
  }

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    Table table = table(false);
    table.add("fg(red)", "without a lock", "7");
    table.add("fg(green)", "with", "1,000");
    table.print();
    assertThat(text.toString().lines())
        .containsExactly(
            "  round            sold",
            "  ---------------------",
            "  without a lock      7",
            "  with            1,000");
  }

  @Test
  void colorsDoNotMoveColumns() {
    Table table = table(true);
    table.add("fg(red)", "a", "7");
    table.print();
    assertThat(text.toString()).contains("\033[31ma         7");
  }

  @Test
  void aRowHasACellPerColumn() {
    Table table = table(false);
    assertThatThrownBy(() -> table.add("bold", "one")).isInstanceOf(IllegalArgumentException.class);
  }
}
