package io.holdfast.redis.backend;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What the scripts of locks and pools are given for a key: the names of all it has, and its bucket
 * in the fence, which would cost the server more than the rest of the arguments. Those of keys in
 * use are remembered; there are never many of them.
 *
 * @param keys lock, fence, queue, waiters; or pool, fence, queue, waiters, leases
 * @param bucket as {@code bucket} in common.lua has it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never handed out of this package
record LockNames(String[] keys, String bucket) {
  private static final int DIGITS = 3;

  static LockNames of(String key) {
    return new LockNames(RedisKeys.of(key), bucket(key));
  }

  static LockNames ofPool(String key) {
    return new LockNames(RedisKeys.ofPool(key), bucket(key));
  }

  private static String bucket(String key) {
    return LuaScript.sha1(key).substring(0, DIGITS);
  }

  /** The names of keys that were used of late. */
  static final class Memory {
    static final int MOST = 1000;

    /** Longer keys would make the memory large; who uses them pays for it. */
    private static final int LONGEST_KEY = 200;

    private final Map<String, LockNames> known = new ConcurrentHashMap<>();
    private final Function<String, LockNames> naming;

    /** Of locks, or of pools. */
    Memory(Function<String, LockNames> naming) {
      this.naming = naming;
    }

    LockNames of(String key) {
      LockNames names = known.get(key);
      if (names == null) {
        names = naming.apply(key);
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
