package io.holdfast.bench.lock;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** What the floor sends: its own two scripts, or those of Holdfast with what they are given. */
enum FloorScripts {
  /** Owner and lease, nothing else. */
  LEAST("", List.of("floor-acquire"), List.of("floor-release")) {
    @Override
    String[] keys(String key) {
      return new String[] {key};
    }

    @Override
    String[] acquireArgs(String key, String owner) {
      return new String[] {owner, LEASE_MILLIS};
    }

    @Override
    String[] releaseArgs(String key, String owner) {
      return new String[] {owner};
    }
  },
  /** A hash, who holds it, a queue that must be empty, a token, and a message on release. */
  OF_HOLDFAST(
      "/io/holdfast/redis/backend/",
      List.of("acquire_plain", "common", "acquire"),
      List.of("release_plain", "common", "release")) {
    @Override
    String[] keys(String key) {
      return new String[] {
        key, "holdfast:fence", "holdfast:queue:" + key, "holdfast:waiters:" + key
      };
    }

    @Override
    String[] acquireArgs(String key, String owner) {
      String meta = "12345\u001fhost\u001fapplication\u001fthread";
      return new String[] {owner, LEASE_MILLIS, meta, "0", "0", "", bucket(key)};
    }

    @Override
    String[] releaseArgs(String key, String owner) {
      return new String[] {owner, "0", bucket(key)};
    }
  };

  private static final String LEASE_MILLIS = "30000";

  private final String folder;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> acquire;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> release;

  FloorScripts(String folder, List<String> acquire, List<String> release) {
    this.folder = folder;
    this.acquire = acquire;
    this.release = release;
  }

  String acquire() {
    return acquire.stream().map(this::read).collect(Collectors.joining());
  }

  String release() {
    return release.stream().map(this::read).collect(Collectors.joining());
  }

  abstract String[] keys(String key);

  abstract String[] acquireArgs(String key, String owner);

  abstract String[] releaseArgs(String key, String owner);

  /** Of the fence, as the scripts know it, too. */
  private static String bucket(String key) {
    try {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, 3);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A script of the floor by its name. */
  static String text(String name) {
    return LEAST.read(name);
  }

  private String read(String name) {
    try (InputStream in = FloorScripts.class.getResourceAsStream(folder + name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("no script " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
