package io.holdfast.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDBC URL with options of Holdfast among those of the driver: {@code
 * jdbc:postgresql://host/db?user=u&holdfast.strategy=optimistic}. They are removed, whatever
 * separates options in the URLs of the driver, and the driver gets the rest.
 *
 * @param url the URL for the driver
 * @param options the options for Holdfast
 */
record JdbcUrl(String url, JdbcOptions options) {
  private static final Pattern OPTION = Pattern.compile("([?&;])holdfast\\.([A-Za-z]*)=([^?&;]*)");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final List<String> NAMES =
      List.of("strategy", "schema", "tables", "timeout", "connections", "poll", "listen");

  static JdbcUrl parse(String text) {
    JdbcOptions options = JdbcOptions.defaults();
    Matcher found = OPTION.matcher(text);
    StringBuilder rest = new StringBuilder();
    int copied = 0;
    boolean firstRemoved = false;
    while (found.find()) {
      append(rest, text.substring(copied, found.start()), firstRemoved);
      if (found.start() > copied) {
        firstRemoved = false;
      }
      firstRemoved |= found.group(1).equals("?");
      options = with(options, found.group(2), found.group(3));
      copied = found.end();
    }
    append(rest, text.substring(copied), firstRemoved);
    if (rest.toString().contains("holdfast.")) {
      throw new IllegalArgumentException("an option of Holdfast has the form holdfast.name=value");
    }
    return new JdbcUrl(rest.toString(), options);
  }

  /** If the option after the question mark was removed, the next one follows it. */
  private static void append(StringBuilder rest, String part, boolean firstRemoved) {
    rest.append(firstRemoved && part.startsWith("&") ? "?" + part.substring(1) : part);
  }

  private static JdbcOptions with(JdbcOptions options, String name, String value) {
    return switch (name) {
      case "strategy" ->
          oneOf(name, value, "optimistic", "pessimistic")
              ? options.optimistic()
              : options.pessimistic();
      case "schema" -> options.createSchema(oneOf(name, value, "create", "check"));
      case "tables" -> options.tables(value);
      case "timeout" -> options.timeout(time(name, value));
      case "connections" -> options.connections(number(name, value));
      case "poll" -> options.poll(time(name, value));
      case "listen" -> options.listen(oneOf(name, value, "true", "false"));
      default ->
          throw new IllegalArgumentException(
              "there is no option holdfast.%s; the options are %s".formatted(name, NAMES));
    };
  }

  private static boolean oneOf(String name, String value, String yes, String no) {
    String lower = value.toLowerCase(Locale.ROOT);
    if (!lower.equals(yes) && !lower.equals(no)) {
      throw new IllegalArgumentException(
          "holdfast.%s is %s or %s, not '%s'".formatted(name, yes, no, value));
    }
    return lower.equals(yes);
  }

  private static int number(String name, String value) {
    if (!value.matches("\\d{1,9}")) {
      throw new IllegalArgumentException("holdfast.%s is a number".formatted(name));
    }
    return Integer.parseInt(value);
  }

  private static Duration time(String name, String value) {
    Matcher time = TIME.matcher(value);
    if (!time.matches()) {
      throw new IllegalArgumentException(
          "holdfast.%s is a number with a unit, as in 500ms or 2s".formatted(name));
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
