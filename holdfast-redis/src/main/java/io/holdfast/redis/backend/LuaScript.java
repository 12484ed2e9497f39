package io.holdfast.redis.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts, each a resource of the same name behind the functions of {@code common.lua}. */
enum LuaScript {
  ACQUIRE,
  RELEASE,
  RENEW,
  FORCE,
  INSPECT;

  private final String text;
  private final String sha;

  LuaScript() {
    this.text = read("common") + read(name().toLowerCase(Locale.ROOT));
    this.sha = sha1(text);
  }

  String text() {
    return text;
  }

  /** The name under which the server keeps it. */
  String sha() {
    return sha;
  }

  private static String read(String name) {
    try (InputStream in = LuaScript.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script " + name + ".lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }
}
