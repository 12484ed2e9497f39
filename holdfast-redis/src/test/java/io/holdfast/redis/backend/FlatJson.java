package io.holdfast.redis.backend;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict parser for JSON objects of strings and numbers, independent of the server's. */
final class FlatJson {
  private static final String STRING =
      "\"((?:[^\"\\\\\\x00-\\x1f]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*+)\"";
  private static final Pattern MEMBER = Pattern.compile(STRING + ":(?:" + STRING + "|(-?\\d+))");
  private static final Pattern ESCAPE = Pattern.compile("\\\\(u....|.)");

  private FlatJson() {}

  static Map<String, String> parse(String text) {
    Map<String, String> members = new HashMap<>();
    Matcher matcher = MEMBER.matcher(text);
    int at = 1;
    while (matcher.find(at) && matcher.start() == at) {
      String value = matcher.group(2) != null ? unescape(matcher.group(2)) : matcher.group(3);
      members.put(unescape(matcher.group(1)), value);
      at = matcher.end() + 1;
      if (text.charAt(matcher.end()) != ',') {
        break;
      }
    }
    if (!text.startsWith("{") || at != text.length() || !text.endsWith("}")) {
      throw new AssertionError("not a flat JSON object, from index " + at + " on: " + text);
    }
    return members;
  }

  private static String unescape(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(character(found.group(1))));
  }

  private static String character(String escape) {
    return switch (escape.charAt(0)) {
      case 'u' -> String.valueOf((char) Integer.parseInt(escape.substring(1), 16));
      case 'b' -> "\b";
      case 'f' -> "\f";
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      default -> escape;
    };
  }
}
