package io.holdfast.bench.lock;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.stream.Collectors;

/** What the floor sends: its own two scripts, or those of Holdfast with what they are given. */
enum FloorScripts {
  /** Owner and lease, nothing else. */
  LEAST("", "floor-acquire", "floor-release") {
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
  OF_HOLDFAST("/io/holdfast/redis/backend/", "acquire", "release") {
    @Override
    String[] keys(String key) {
      return new String[] {
        key, "holdfast:fence", "holdfast:queue:" + key, "holdfast:waiters:" + key
      };
    }

    @Override
    String[] acquireArgs(String key, String owner) {
      String meta = "12345\u001fhost\u001fapplication\u001fthread";
      return new String[] {
        owner, LEASE_MILLIS, meta, "0", "0", "", bucket(key), CLAIM_WINDOW_MILLIS
      };
    }

    @Override
    String[] releaseArgs(String key, String owner) {
      return new String[] {owner, "0", bucket(key), CLAIM_WINDOW_MILLIS};
    }
  };

  private static final String LEASE_MILLIS = "30000";
  private static final String CLAIM_WINDOW_MILLIS = "1500";
  private static final String INCLUDE = "--@include ";

  private final String folder;

  private final String acquire;
  private final String release;

  FloorScripts(String folder, String acquire, String release) {
    this.folder = folder;
    this.acquire = acquire;
    this.release = release;
  }

  String acquire() {
    return withIncludes(acquire, new HashSet<>());
  }

  String release() {
    return withIncludes(release, new HashSet<>());
  }

  /** As Holdfast puts its scripts together: each fragment once, where it is first included. */
  private String withIncludes(String name, Set<String> included) {
    if (!included.add(name)) {
      return "";
    }
    return read(name)
        .lines()
        .map(
            line ->
                line.startsWith(INCLUDE)
                    ? withIncludes(line.substring(INCLUDE.length()), included)
                    : line + "\n")
        .collect(Collectors.joining());
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
