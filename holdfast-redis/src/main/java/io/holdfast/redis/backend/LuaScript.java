package io.holdfast.redis.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The scripts, each a resource of the same name behind the functions it shares with others. What
 * comes first in some of them is done before those functions are even defined, which the server
 * would do anew in every call.
 */
enum LuaScript {
  ACQUIRE("acquire_plain", "common"),
  ACQUIRE_ALL("common"),
  RELEASE("release_plain", "common"),
  FORCE("common"),
  INSPECT("common"),
  RENEW("common", "pool"),
  RENEW_LOCKS,
  CHECK("common", "pool"),
  POOL_ACQUIRE("pool_acquire_unwanted", "common", "pool"),
  POOL_RELEASE("pool_release_unwanted", "common", "pool"),
  POOL_FORCE("common", "pool"),
  POOL_INSPECT("common", "pool"),
  POOL_LIMIT("common", "pool"),
  LATCH_PASS("common", "latch"),
  LATCH_COUNT("common", "latch"),
  LATCH_INSPECT("common", "latch");

  private final String text;
  private final String sha;

  LuaScript(String... shared) {
    StringBuilder all = new StringBuilder();
    for (String part : shared) {
      all.append(read(part));
    }
    this.text = all.append(read(name().toLowerCase(Locale.ROOT))).toString();
    this.sha = sha1(text);
  }

  String text() {
    return text;
  }

  /** The name under which the server keeps it. */
  String sha() {
    return sha;
  }

  static String read(String name) {
    try (InputStream in = LuaScript.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script " + name + ".lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As the server works it out, in hexadecimal digits. */
  static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
