package io.holdfast.redis.backend;

/** The names of everything a lock has in Redis. The lock itself stands under the user's own key. */
final class RedisKeys {
  static final String FENCE = "holdfast:fence";

  private RedisKeys() {}

  static String queue(String key) {
    return "holdfast:queue:" + key;
  }

  static String waiters(String key) {
    return "holdfast:waiters:" + key;
  }

  /** The channel on which one client is told what concerns it alone. */
  static String inbox(String clientId) {
    return "holdfast:inbox:" + clientId;
  }

  static String leases(String key) {
    return "holdfast:leases:" + key;
  }

  /** Pool, fence, queue, waiters, leases: what the scripts of pools work on. */
  static String[] ofPool(String key) {
    return new String[] {key, FENCE, queue(key), waiters(key), leases(key)};
  }

  /** Latch, queue, waiters. */
  static String[] ofLatch(String key) {
    return new String[] {key, queue(key), waiters(key)};
  }

  /** Lock, fence, queue, waiters: what the scripts of locks work on. */
  static String[] of(String key) {
    return new String[] {key, FENCE, queue(key), waiters(key)};
  }
}
