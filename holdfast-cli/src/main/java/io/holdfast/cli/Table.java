package io.holdfast.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns as wide as their widest cell: the first to the left, the others, being numbers, to the
 * right. Rows may have a color.
 */
public final class Table {
  private static final String GAP = "  ";

  private final Screen screen;
  private final List<Row> rows = new ArrayList<>();

  private record Row(String style, List<String> cells) {}

  /** A table with a head. */
  public Table(Screen screen, String... head) {
    this.screen = screen;
    rows.add(new Row("bold", List.of(head)));
  }

  /** Adds a row in a picocli style. */
  public void add(String style, String... cells) {
    if (cells.length != rows.get(0).cells().size()) {
      throw new IllegalArgumentException("one cell per column: " + List.of(cells));
    }
    rows.add(new Row(style, List.of(cells)));
  }

  /** Writes the table. */
  public void print() {
    int[] widths = widths();
    int total = GAP.length() * (widths.length - 1);
    for (int width : widths) {
      total += width;
    }
    for (int i = 0; i < rows.size(); i++) {
      screen.out().println(GAP + screen.styled(rows.get(i).style(), text(rows.get(i), widths)));
      if (i == 0) {
        screen.out().println(GAP + screen.styled("faint", screen.line(total)));
      }
    }
  }

  private int[] widths() {
    int[] widths = new int[rows.get(0).cells().size()];
    for (Row row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.cells().get(i).length());
      }
    }
    return widths;
  }

  private static String text(Row row, int[] widths) {
    List<String> padded = new ArrayList<>();
    for (int i = 0; i < widths.length; i++) {
      String cell = row.cells().get(i);
      String space = " ".repeat(widths[i] - cell.length());
      padded.add(i == 0 ? cell + space : space + cell);
    }
    return String.join(GAP, padded);
  }
}
