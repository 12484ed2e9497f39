package io.holdfast.redis.backend;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the version in the text of {@code INFO server}. */
final class ServerVersion {
  private static final Pattern LINE = Pattern.compile("(?m)^redis_version:(\\d+[^\\s]*)");

  private ServerVersion() {}

  static @Nullable String in(String info) {
    Matcher matcher = LINE.matcher(info);
    return matcher.find() ? matcher.group(1) : null;
  }

  static int major(String version) {
    int end = 0;
    while (end < version.length() && Character.isDigit(version.charAt(end)) && end < 6) {
      end++;
    }
    return end == 0 ? Integer.MAX_VALUE : Integer.parseInt(version.substring(0, end));
  }
}
