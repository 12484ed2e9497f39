package io.holdfast.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A table, row by row. */
final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();
  private final int columns;

  MarkdownTable(List<String> head) {
    this.columns = head.size();
    rows.add(List.copyOf(head));
  }

  MarkdownTable row(List<String> cells) {
    List<String> padded = new ArrayList<>(cells);
    padded.addAll(Collections.nCopies(Math.max(columns - cells.size(), 0), ""));
    rows.add(padded);
    return this;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      text.append("| ").append(String.join(" | ", rows.get(i))).append(" |\n");
      if (i == 0) {
        text.append("|---|").append("--:|".repeat(columns - 1)).append('\n');
      }
    }
    return text.toString();
  }
}
