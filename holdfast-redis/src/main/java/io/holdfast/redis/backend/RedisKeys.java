package io.holdfast.redis.backend;

/** The names of keys and channels in Redis. The lock itself has the user's own key. */
final class RedisKeys {
  static final String FENCE = "holdfast:fence";

  private RedisKeys() {}

  static String queue(String key) {
    return "holdfast:queue:" + key;
  }

  static String waiters(String key) {
    return "holdfast:waiters:" + key;
  }

  /** The channel for messages to one client. */
  static String inbox(String clientId) {
    return "holdfast:inbox:" + clientId;
  }

  static String leases(String key) {
    return "holdfast:leases:" + key;
  }

  /** The keys for scripts of pools: pool, fence, queue, waiters, leases. */
  static String[] ofPool(String key) {
    return new String[] {key, FENCE, queue(key), waiters(key), leases(key)};
  }

  /** The keys for scripts of latches: latch, queue, waiters. */
  static String[] ofLatch(String key) {
    return new String[] {key, queue(key), waiters(key)};
  }

  /** The keys for scripts of locks: lock, fence, queue, waiters. */
  static String[] of(String key) {
    return new String[] {key, FENCE, queue(key), waiters(key)};
  }
}
