package io.holdfast.redis.backend;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The names that scripts of locks and pools get for a key, and its bucket in the fence, which would
 * cost the server more to compute than the rest of the arguments.
 *
 * @param keys lock, fence, queue, waiters; or pool, fence, queue, waiters, leases
 * @param bucket the same as {@code bucket} in fence.lua
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

  /** Remembers the names of keys that are in use; there are few of them. */
  static final class Memory {
    static final int MOST = 1000;

    /** Names of longer keys are made anew each time, since they would make the memory large. */
    private static final int LONGEST_KEY = 200;

    private final Map<String, LockNames> known = new ConcurrentHashMap<>();
    private final Function<String, LockNames> naming;

    /** A memory for names of locks, or of pools. */
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

    /** Forgets all names when there are too many; names in use come back with their next use. */
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
