package io.holdfast.redis.backend;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The scripts, each a resource of the same name; {@link LuaSource} adds the fragments that scripts
 * share. Fragments ending in {@code _fast} are fast paths: they come first in their scripts, before
 * the functions that only the rest needs, because the server defines functions anew in every call.
 */
enum LuaScript {
  ACQUIRE,
  ACQUIRE_ALL,
  RELEASE,
  FORCE,
  INSPECT,
  RENEW,
  RENEW_LOCKS,
  CHECK,
  POOL_ACQUIRE,
  POOL_RELEASE,
  POOL_FORCE,
  POOL_INSPECT,
  POOL_LIMIT,
  LATCH_PASS,
  LATCH_COUNT,
  LATCH_INSPECT;

  private final String text;
  private final String sha;

  LuaScript() {
    this.text = LuaSource.of(resource());
    this.sha = sha1(text);
  }

  /** The name of the resource. */
  String resource() {
    return name().toLowerCase(Locale.ROOT);
  }

  String text() {
    return text;
  }

  /** The name under which the server keeps the script. */
  String sha() {
    return sha;
  }

  /** In hexadecimal digits, as the server computes it. */
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
