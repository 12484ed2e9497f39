package io.holdfast.testservers;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a line of MONITOR, for instance {@code 1700000000.123456 [0 127.0.0.1:50000] "SET" "a\n"
 * "\xc3\xa4"}. Words are quoted, and every byte that is not printable ASCII is escaped.
 */
final class MonitorLine {
  private static final Pattern LINE = Pattern.compile("[0-9.]+ \\[(\\d+) (\\S+)\\] (.*)");
  private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*+)\"");

  private MonitorLine() {}

  static RedisMonitor.Command parse(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a line of MONITOR: " + line);
    }
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(parts.group(3));
    while (word.find()) {
      words.add(unescape(word.group(1)));
    }
    return new RedisMonitor.Command(
        Integer.parseInt(parts.group(1)), parts.group(2), List.copyOf(words));
  }

  private static String unescape(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        bytes.write(c);
        continue;
      }
      char escaped = text.charAt(++i);
      switch (escaped) {
        case 'n' -> bytes.write('\n');
        case 'r' -> bytes.write('\r');
        case 't' -> bytes.write('\t');
        case 'a' -> bytes.write(7);
        case 'b' -> bytes.write('\b');
        case 'x' -> {
          bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
          i += 2;
        }
        default -> bytes.write(escaped);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
