package io.holdfast.zookeeper;

import io.holdfast.zookeeper.backend.ZooKeeperSettings;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses URLs. Messages do not repeat an invalid URL, which may contain a password. */
final class ZooKeeperUrl {
  static final String SCHEME = "zookeeper://";
  static final String FORM = "zookeeper://[user:password@]host[:port][,host[:port]...][/chroot]";

  private static final int PORT = 2181;
  private static final Pattern PARTS =
      Pattern.compile("zookeeper://(?:([^@/?]*)@)?([^@/?]+)((?:/[^?]*)?)(?:\\?(.*))?");
  private static final Pattern SERVER =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(?::(\\d{1,5}))?");
  private static final Pattern ELEMENT = Pattern.compile("[^\\p{Cntrl}/]+");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final List<String> OPTIONS =
      List.of("sessionTimeout", "connectTimeout", "timeout", "sasl");
  private static final String EXAMPLES =
      "sessionTimeout=30s, connectTimeout=10s, timeout=5s, sasl=Client";
  private static final String ENCODED =
      "; in a user or password each of @ : / ? % is percent-encoded, as %40 for @";

  private ZooKeeperUrl() {}

  static ZooKeeperSettings parse(String url) {
    Matcher parts = PARTS.matcher(url);
    if (!parts.matches()) {
      throw malformed("it does not have the right form" + hint(url));
    }
    Map<String, String> options = options(parts.group(4));
    String digest = digest(parts.group(1));
    String sasl = options.get("sasl");
    if (digest != null && sasl != null) {
      throw malformed(
          "a user and password select digest authentication and cannot be combined with sasl");
    }
    return new ZooKeeperSettings(
        servers(parts.group(2), hint(url)),
        chroot(parts.group(3)),
        duration(options, "sessionTimeout", Duration.ofSeconds(30)),
        duration(options, "connectTimeout", Duration.ofSeconds(10)),
        duration(options, "timeout", Duration.ofSeconds(5)),
        digest,
        sasl);
  }

  private static String servers(String list, String hint) {
    List<String> servers = new ArrayList<>();
    for (String each : list.split(",", -1)) {
      Matcher server = SERVER.matcher(each);
      if (!server.matches()) {
        throw malformed("servers are host:port, separated by commas" + hint);
      }
      int port = server.group(2) == null ? PORT : Integer.parseInt(server.group(2));
      if (port < 1 || port > 65535) {
        throw malformed("a port is from 1 to 65535");
      }
      servers.add(server.group(1) + ":" + port);
    }
    return String.join(",", servers);
  }

  private static String chroot(String path) {
    if (path.isEmpty() || path.equals("/")) {
      return "";
    }
    for (String element : path.substring(1).split("/", -1)) {
      boolean name = ELEMENT.matcher(element).matches();
      if (!name || element.equals(".") || element.equals("..")) {
        throw malformed("the chroot is a path such as /shop/locks");
      }
    }
    if (path.equals("/zookeeper") || path.startsWith("/zookeeper/")) {
      throw malformed("/zookeeper belongs to the servers; choose another chroot");
    }
    return path;
  }

  private static @Nullable String digest(@Nullable String user) {
    if (user == null) {
      return null;
    }
    String[] parts = user.split(":", -1);
    if (parts.length != 2 || parts[0].isEmpty() || parts[1].isEmpty()) {
      throw malformed("a user needs a password: user:password@" + ENCODED);
    }
    return decode(parts[0]) + ":" + decode(parts[1]);
  }

  private static Map<String, String> options(@Nullable String query) {
    Map<String, String> options = new HashMap<>();
    if (query == null || query.isEmpty()) {
      return options;
    }
    for (String option : query.split("&", -1)) {
      int equals = option.indexOf('=');
      String name = equals < 0 ? option : option.substring(0, equals);
      if (!OPTIONS.contains(name)) {
        // an unknown name may be part of a password
        boolean shown = name.matches("[A-Za-z][A-Za-z0-9._-]{0,30}") && !option.contains("@");
        throw malformed(
            "there is no option%s; the options are %s%s"
                .formatted(shown ? " '" + name + "'" : " like that", EXAMPLES, hint(option)));
      }
      if (equals < 0 || equals == option.length() - 1) {
        throw malformed("the option %s needs a value; options are %s".formatted(name, EXAMPLES));
      }
      options.put(name, decode(option.substring(equals + 1)));
    }
    return options;
  }

  private static Duration duration(Map<String, String> options, String name, Duration otherwise) {
    String text = options.get(name);
    if (text == null) {
      return otherwise;
    }
    Matcher duration = DURATION.matcher(text);
    long number = duration.matches() ? Long.parseLong(duration.group(1)) : 0;
    if (number == 0) {
      throw malformed(name + " is a number with a unit, as in " + name + "=500ms");
    }
    Duration value =
        switch (duration.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          default -> Duration.ofMinutes(number);
        };
    if (value.compareTo(Duration.ofHours(1)) > 0) {
      throw malformed(name + " is at most an hour");
    }
    return value;
  }

  /** Decodes {@code %XX} only; a plus stays a plus. */
  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw malformed("a % is followed by two hexadecimal digits; the sign itself is %25");
    }
  }

  /** Advice on the usual mistake in URLs with a user and password. */
  private static String hint(String text) {
    return text.contains("@") ? ENCODED : "";
  }

  private static IllegalArgumentException malformed(String why) {
    return new IllegalArgumentException(
        "the ZooKeeper URL cannot be used: %s; URLs look like %s".formatted(why, FORM));
  }
}
