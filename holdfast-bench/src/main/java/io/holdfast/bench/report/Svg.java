package io.holdfast.bench.report;

import java.util.Locale;

/** Just enough of SVG for charts. Colours are readable on light and on dark pages. */
final class Svg {
  static final String OURS = "#1f8a5b";
  static final String PEER = "#7d8ca3";
  static final String FLOOR = "#c9a227";
  static final String TEXT = "#6e7781";
  static final String GRID = "#8c959f55";

  private final StringBuilder body = new StringBuilder();
  private final double width;
  private final double height;

  Svg(double width, double height) {
    this.width = width;
    this.height = height;
  }

  Svg text(double x, double y, String anchor, int size, String text) {
    return add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>",
        x, y, anchor, size, TEXT, escape(text));
  }

  Svg bar(double x, double y, double width, double height, String colour) {
    return add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" fill=\"%s\"/>",
        x, y, Math.max(width, 1), height, colour);
  }

  Svg line(double x1, double y1, double x2, double y2, String colour, double stroke) {
    return add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
        x1, y1, x2, y2, colour, stroke);
  }

  Svg dot(double x, double y, String colour) {
    return add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", x, y, colour);
  }

  private Svg add(String format, Object... values) {
    body.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
    return this;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @Override
  public String toString() {
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\""
                + " font-family=\"system-ui, sans-serif\">%n",
            width,
            height,
            width)
        + body
        + "</svg>\n";
  }
}
