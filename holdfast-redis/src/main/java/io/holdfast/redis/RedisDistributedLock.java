package io.holdfast.redis;

import io.holdfast.DistributedLock;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;

/**
 * A lock on Redis without a {@link LockManager}.
 *
 * <pre>{@code
 * RedisDistributedLock lock = new RedisDistributedLock("myLock");
 * lock.lock();
 * try {
 *   work();
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>The server is the one in the environment variable {@code HOLDFAST_URL} or the system property
 * {@code holdfast.url}, else {@code redis://localhost:6379}. All such locks of a process share one
 * manager, which opens with the first lock and closes with the process. Objects with the same key
 * are the same lock.
 */
public class RedisDistributedLock extends DistributedLock {

  /** The lock with this key and default settings. */
  public RedisDistributedLock(String lockKey) {
    this(LockConfig.builder().lockKey(lockKey).build());
  }

  /** The lock with these settings. */
  public RedisDistributedLock(LockConfig config) {
    this(SharedManager.get(), config);
  }

  /** The lock with these settings, of an existing manager. */
  public RedisDistributedLock(LockManager manager, LockConfig config) {
    super(manager.getLock(config));
  }
}
