package io.holdfast.torture.history;

import java.util.Map;
import java.util.TreeMap;

/**
 * The text of an event: fields separated by tabs, details as {@code name=value} at the end.
 * Anything that is not a printable ASCII character, and the characters that have a meaning here,
 * stand as {@code \}{@code uXXXX}: a key may hold line breaks, tabs or half of a surrogate pair,
 * and comes back as it was.
 */
final class HistoryLine {
  private static final int FIXED = 7;

  private HistoryLine() {}

  static String write(HistoryEvent event) {
    StringBuilder line = new StringBuilder(160);
    line.append(event.nanos()).append('\t');
    escape(event.client(), line).append('\t');
    escape(event.thread(), line).append('\t');
    line.append(event.op()).append('\t');
    line.append(event.phase()).append('\t').append(event.action()).append('\t');
    escape(event.key(), line);
    event
        .details()
        .forEach(
            (name, value) -> {
              escape(name, line.append('\t')).append('=');
              escape(value, line);
            });
    return line.toString();
  }

  static HistoryEvent read(String line) {
    String[] fields = line.split("\t", -1);
    if (fields.length < FIXED) {
      throw new IllegalArgumentException("not an event: " + line);
    }
    Map<String, String> details = new TreeMap<>();
    for (int i = FIXED; i < fields.length; i++) {
      int sign = fields[i].indexOf('=');
      if (sign < 0) {
        throw new IllegalArgumentException("not a detail: " + fields[i] + " in " + line);
      }
      details.put(unescape(fields[i].substring(0, sign)), unescape(fields[i].substring(sign + 1)));
    }
    return new HistoryEvent(
        Long.parseLong(fields[0]),
        unescape(fields[1]),
        unescape(fields[2]),
        Long.parseLong(fields[3]),
        Phase.valueOf(fields[4]),
        Action.valueOf(fields[5]),
        unescape(fields[6]),
        details);
  }

  private static StringBuilder escape(String text, StringBuilder to) {
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each < ' ' || each > '~' || each == '\\' || each == '=') {
        to.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          to.append(Character.forDigit(each >> shift & 0xf, 16));
        }
      } else {
        to.append(each);
      }
    }
    return to;
  }

  private static String unescape(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '\\') {
        if (i + 6 > text.length() || text.charAt(i + 1) != 'u') {
          throw new IllegalArgumentException("not an escaped text: " + text);
        }
        plain.append((char) Integer.parseInt(text, i + 2, i + 6, 16));
        i += 5;
      } else {
        plain.append(each);
      }
    }
    return plain.toString();
  }
}
