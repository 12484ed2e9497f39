package io.holdfast.bench.report;

import java.util.List;

/** Sentences in lines of at most 120 columns, as the build asks of every text file. */
final class Prose {
  private static final int COLUMNS = 118;

  private Prose() {}

  /** A paragraph. */
  static String paragraph(String text) {
    return wrap("", "", text);
  }

  /** An item of a list. */
  static String item(String text) {
    return wrap("- ", "  ", text);
  }

  private static String wrap(String first, String others, String text) {
    StringBuilder lines = new StringBuilder(first);
    int column = first.length();
    boolean atStart = true;
    for (String word : List.of(text.strip().split("\\s+", -1))) {
      if (!atStart && column + 1 + word.length() > COLUMNS) {
        lines.append('\n').append(others);
        column = others.length();
        atStart = true;
      }
      lines.append(atStart ? "" : " ").append(word);
      column += word.length() + (atStart ? 0 : 1);
      atStart = false;
    }
    return lines.append('\n').toString();
  }
}
