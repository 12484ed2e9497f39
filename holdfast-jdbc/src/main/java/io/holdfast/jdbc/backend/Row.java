package io.holdfast.jdbc.backend;

import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The row of one key as it was read from the table, and the state that a step is about to change. A
 * key without a row has an empty state and version 0.
 */
final class Row {
  final Resource resource;
  final String id;
  final long version;
  final long tick;
  final String text;
  private @Nullable ResourceState state;
  private @Nullable String newText;

  Row(Resource resource, String id, long version, long tick, String text) {
    this.resource = resource;
    this.id = id;
    this.version = version;
    this.tick = tick;
    this.text = text;
  }

  /**
   * The primary key: a hash, so that neither a limited index length nor a collation that equates
   * {@code a} and {@code A} can confuse two keys.
   */
  static String idOf(String key) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /**
   * The state, which the caller may change.
   *
   * @throws io.holdfast.spi.BackendException if the content of the row is invalid
   */
  ResourceState state() {
    ResourceState known = state;
    if (known == null) {
      known = ResourceState.parse(text, tick);
      state = known;
    }
    return known;
  }

  /** The row as the table has it after this one was written. */
  Row asWritten(long now) {
    return new Row(resource, id, exists() ? version + 1 : now, state().lastTick(), newText());
  }

  /** The text to write; computed once, after the state has been changed. */
  String newText() {
    String known = newText;
    if (known == null) {
      known = state().text();
      newText = known;
    }
    return known;
  }

  boolean exists() {
    return version != 0;
  }

  /** True if the row must be written; the state must not be changed afterwards. */
  boolean isChanged() {
    ResourceState known = state;
    return known != null && (known.lastTick() != tick || !newText().equals(text));
  }
}
