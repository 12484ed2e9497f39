package io.holdfast.bench.worker;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Named values on one line, as they go between a worker and its parent. */
public final class Fields {
  private final Map<String, String> values = new LinkedHashMap<>();

  /** Adds one. */
  public Fields with(String name, Object value) {
    values.put(name, String.valueOf(value));
    return this;
  }

  /** The text of a field. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no field " + name + " in " + values.keySet());
    }
    return value;
  }

  /** The number in a field. */
  public long number(String name) {
    return Long.parseLong(text(name));
  }

  /** True if the field says so. */
  public boolean flag(String name) {
    return Boolean.parseBoolean(text(name));
  }

  /** Reads what {@link #toString()} wrote. */
  public static Fields parse(String line) {
    Fields fields = new Fields();
    for (String field : line.strip().split(" ", -1)) {
      int equals = field.indexOf('=');
      if (equals > 0) {
        fields.with(
            field.substring(0, equals),
            URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return fields;
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder();
    values.forEach(
        (name, value) ->
            line.append(line.isEmpty() ? "" : " ")
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return line.toString();
  }
}
