package io.holdfast.redis.backend;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the scripts of locks are given for a key: the names of all it has, and its bucket in the
 * fence, which would cost the server more than the rest of the arguments. Those of keys in use are
 * remembered; there are never many of them.
 *
 * @param keys lock, fence, queue, waiters
 * @param bucket as {@code bucket} in common.lua has it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never handed out of this package
record LockNames(String[] keys, String bucket) {
  private static final int DIGITS = 3;

  static LockNames of(String key) {
    return new LockNames(RedisKeys.of(key), bucketOf(key));
  }

  private static String bucketOf(String key) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      byte[] digest = sha1.digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }

  /** The names of keys that were used of late. */
  static final class Memory {
    static final int MOST = 1000;

    /** Longer keys would make the memory large; who uses them pays for it. */
    private static final int LONGEST_KEY = 200;

    private final Map<String, LockNames> known = new ConcurrentHashMap<>();

    LockNames of(String key) {
      LockNames names = known.get(key);
      if (names == null) {
        names = LockNames.of(key);
        if (key.length() <= LONGEST_KEY) {
          remember(key, names);
        }
      }
      return names;
    }

    /** Forgets all when there are too many: those in use come back at their next use. */
    private void remember(String key, LockNames names) {
      if (known.size() >= MOST) {
        known.clear();
      }
      known.put(key, names);
    }

    int size() {
      return known.size();
    }
  }
}
