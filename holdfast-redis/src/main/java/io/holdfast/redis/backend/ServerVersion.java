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
    int dot = version.indexOf('.');
    return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
  }
}
