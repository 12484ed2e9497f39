package io.holdfast.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Parses URLs. Lettuce parses most of a URL, but ignores unknown options, so this class checks them
 * first. Messages about a wrong URL do not repeat it: it may contain a password.
 */
final class RedisUrl {
  static final String FORMS = "redis://[user:password@]host[:port][/database] and rediss://...";

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Pattern FORM =
      Pattern.compile(
          "rediss?://([^@/?#]*@)?([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])"
              + "(:\\d{1,5})?(/\\d*)?(\\?\\S*)?");
  private static final String IO_OPTION = "io=";
  private static final Pattern TIMEOUT_OPTION = Pattern.compile("[?&]timeout=([^&]*)");

  /** Lettuce's options, and the option of this module at the end. */
  private static final List<String> OPTIONS =
      List.of(
          "timeout",
          "database",
          "db",
          "clientName",
          "libraryName",
          "libraryVersion",
          "verifyPeer",
          "io");

  private static final String ENCODED =
      "; in a user or password each of @ : / ? # [ ] % and blanks is percent-encoded, as %40 for @";

  private RedisUrl() {}

  static RedisURI parse(String text) {
    if (!FORM.matcher(text).matches()) {
      throw malformed("it does not have the right form" + hint(text));
    }
    checkOptions(text);
    ioOf(text);
    String url = withoutIo(text);
    RedisURI uri;
    try {
      uri = RedisURI.create(url);
    } catch (IllegalArgumentException e) {
      throw malformed("host, port, database or an option is not valid" + hint(text));
    }
    if (uri.getPort() < 1 || uri.getPort() > 65535 || url.matches(".*:0([/?].*)?")) {
      throw malformed("the port is from 1 to 65535");
    }
    Matcher timeout = TIMEOUT_OPTION.matcher(url);
    if (!timeout.find()) {
      uri.setTimeout(TIMEOUT);
    } else if (!timeout.group(1).matches("\\d+(ns|us|ms|s|m|h|d)?") || uri.getTimeout().isZero()) {
      throw malformed("the timeout is a number with a unit, as in timeout=500ms");
    }
    if (uri.getClientName() == null) {
      uri.setClientName("holdfast");
    }
    return uri;
  }

  /** The option {@code io} of a URL; null if it has none. */
  static @Nullable Io ioOf(String url) {
    List<String> values =
        optionsOf(url)
            .filter(option -> option.startsWith(IO_OPTION))
            .map(option -> option.substring(IO_OPTION.length()))
            .toList();
    if (values.isEmpty()) {
      return null;
    }
    if (values.size() == 1 && values.get(0).equals("caller")) {
      return Io.CALLER;
    }
    if (values.size() == 1 && values.get(0).equals("netty")) {
      return Io.NETTY;
    }
    throw malformed("the option io is caller or netty, as in io=netty");
  }

  private static Stream<String> optionsOf(String url) {
    int start = url.indexOf('?');
    return start < 0 ? Stream.empty() : Arrays.stream(url.substring(start + 1).split("&", -1));
  }

  /** Lettuce ignores case, and separates options by semicolons, too. */
  private static void checkOptions(String url) {
    optionsOf(url)
        .flatMap(option -> Arrays.stream(option.split(";", -1)))
        .filter(option -> !option.isEmpty())
        .forEach(RedisUrl::checkOption);
  }

  private static void checkOption(String option) {
    int equals = option.indexOf('=');
    String name = equals < 0 ? option : option.substring(0, equals);
    if (OPTIONS.stream().noneMatch(name::equalsIgnoreCase)) {
      // other text may be the rest of a password
      String shown =
          name.matches("[A-Za-z][A-Za-z0-9._-]{0,30}") ? " '" + name + "'" : " like that";
      throw malformed(
          "there is no option%s; there are %s%s"
              .formatted(shown, String.join(", ", OPTIONS), hint(option)));
    }
    if (equals < 0) {
      throw malformed("the option %s needs a value, as in %s=...".formatted(name, name));
    }
  }

  /** The URL for Lettuce, which does not know the option. */
  private static String withoutIo(String url) {
    int start = url.indexOf('?');
    if (start < 0) {
      return url;
    }
    String rest =
        optionsOf(url)
            .filter(option -> !option.startsWith(IO_OPTION))
            .collect(Collectors.joining("&"));
    return rest.isEmpty() ? url.substring(0, start) : url.substring(0, start + 1) + rest;
  }

  /** The usual mistake in a URL with a user or password. */
  private static String hint(String text) {
    return text.contains("@") ? ENCODED : "";
  }

  private static IllegalArgumentException malformed(String why) {
    return new IllegalArgumentException(
        "the Redis URL cannot be used: %s; URLs look like %s".formatted(why, FORMS));
  }
}
