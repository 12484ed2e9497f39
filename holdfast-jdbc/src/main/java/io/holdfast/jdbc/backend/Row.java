package io.holdfast.jdbc.backend;

import io.holdfast.spi.Resource;
import io.holdfast.spi.state.ResourceState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * One key as it was read from the table: what stood there, and the state that a step is about to
 * change. A key that has no row has an empty state and version 0.
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
   * The primary key: a hash, so that neither the length of an index nor a collation that takes
   * {@code a} for {@code A} can mistake one key for another.
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
   * The state, to be changed.
   *
   * @throws io.holdfast.spi.BackendException when what stands in the row makes no sense
   */
  ResourceState state() {
    ResourceState known = state;
    if (known == null) {
      known = ResourceState.parse(text, tick);
      state = known;
    }
    return known;
  }

  /** The row as it stands in the table once this one was written. */
  Row asWritten(long now) {
    return new Row(resource, id, exists() ? version + 1 : now, state().lastTick(), newText());
  }

  /** What to write; made once, so not before the state has been changed. */
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

  /** True if there is something to write; nothing changes any more from here on. */
  boolean isChanged() {
    ResourceState known = state;
    return known != null && (known.lastTick() != tick || !newText().equals(text));
  }
}
