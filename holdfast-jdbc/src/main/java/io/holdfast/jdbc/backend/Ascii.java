package io.holdfast.jdbc.backend;

/**
 * Escapes text for operators so that any column of any database can store it: printable ASCII
 * stays, and all other characters and the percent sign become {@code %} and four hexadecimal
 * digits.
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
