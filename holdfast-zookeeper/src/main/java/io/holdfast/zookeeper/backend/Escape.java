package io.holdfast.zookeeper.backend;

import java.nio.charset.StandardCharsets;

/**
 * Turns any text into one element of a path and back. Letters, digits and a few signs stay; every
 * other byte of the UTF-8 form becomes {@code %XX}. A leading dot is escaped, since {@code .} and
 * {@code ..} are not valid names; so is the tilde, which separates the fields of our own names.
 */
final class Escape {
  private static final String KEPT = "-_.:@+=,";

  private Escape() {}

  static String encode(String text) {
    StringBuilder result = new StringBuilder(text.length() + 8);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      char c = (char) (bytes[i] & 0xff);
      if (isKept(c) && !(i == 0 && c == '.')) {
        result.append(c);
      } else {
        result.append('%').append(hex(c >> 4)).append(hex(c & 15));
      }
    }
    return result.toString();
  }

  /** Decodes the output of {@link #encode}; invalid sequences in other text stay as they are. */
  static String decode(String name) {
    byte[] bytes = new byte[name.length()];
    int length = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      int value = c == '%' && i + 2 < name.length() ? value(name, i + 1) : -1;
      if (value >= 0) {
        i += 2;
      }
      bytes[length++] = (byte) (value >= 0 ? value : c);
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private static int value(String name, int at) {
    int high = Character.digit(name.charAt(at), 16);
    int low = Character.digit(name.charAt(at + 1), 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  private static boolean isKept(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || KEPT.indexOf(c) >= 0;
  }

  private static char hex(int digit) {
    return "0123456789ABCDEF".charAt(digit);
  }
}
