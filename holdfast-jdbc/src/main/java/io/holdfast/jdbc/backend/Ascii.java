package io.holdfast.jdbc.backend;

/**
 * Text for people as any column of any database takes it: printable ASCII as it is, everything else
 * and the percent sign as {@code %} and four hexadecimal digits.
 */
public final class Ascii {
  private Ascii() {}

  /** Escapes a text. */
  public static String escape(String raw) {
    StringBuilder text = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c >= ' ' && c < 127 && c != '%') {
        text.append(c);
      } else {
        text.append("%%%04x".formatted((int) c));
      }
    }
    return text.toString();
  }
}
