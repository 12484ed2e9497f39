package io.holdfast.redis.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The text of a script, put together from resources. A line {@code --@include name} stands for the
 * text of another resource, which may include more; what is included already is not included again.
 * So a fragment names what it needs, and what a script defines is in the order of use. Comments,
 * indentation and empty lines stay behind: the server gets the code alone.
 */
final class LuaSource {
  private static final String INCLUDE = "--@include ";
  private static final String COMMENT = "--";

  private final UnaryOperator<String> resources;
  private final Set<String> included = new HashSet<>();
  private final StringBuilder text = new StringBuilder();

  private LuaSource(UnaryOperator<String> resources) {
    this.resources = resources;
  }

  /** The script of this name. */
  static String of(String name) {
    return of(name, LuaSource::read);
  }

  /** The script of this name, from resources that are found by their names. */
  static String of(String name, UnaryOperator<String> resources) {
    LuaSource source = new LuaSource(resources);
    source.include(name);
    return source.text.toString();
  }

  private void include(String name) {
    if (included.add(name)) {
      resources.apply(name).lines().forEach(this::add);
    }
  }

  private void add(String line) {
    String code = line.strip();
    if (line.startsWith(INCLUDE)) {
      include(code.substring(INCLUDE.length()));
    } else if (!code.isEmpty() && !code.startsWith(COMMENT)) {
      text.append(code).append('\n');
    }
  }

  /** The resource of a script or fragment. */
  static String read(String name) {
    try (InputStream in = LuaSource.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script " + name + ".lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
