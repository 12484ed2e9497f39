package io.holdfast.internal;

import io.holdfast.internal.engine.LockEngine;
import io.holdfast.internal.local.multi.MultiHandle;
import io.holdfast.internal.local.mutex.LocalMutex;
import io.holdfast.internal.local.request.LockHandle;
import io.holdfast.internal.local.shared.LocalReadWriteLock;
import io.holdfast.internal.local.shared.LocalSemaphore;
import io.holdfast.internal.local.shared.ReadWriteHandle;
import io.holdfast.spi.Claim;
import java.util.Collection;

/** Gives the public shells what stands behind them: one local lock per key and kind. */
public final class LockRegistry {
  private final LockEngine engine;
  private final LockCache<LocalMutex> locks;
  private final LockCache<LocalReadWriteLock> readWriteLocks;
  private final LockCache<LocalSemaphore> semaphores;

  /** Without locks. */
  public LockRegistry(LockEngine engine) {
    this.engine = engine;
    this.locks = new LockCache<>(key -> new LocalMutex(key, engine));
    this.readWriteLocks = new LockCache<>(key -> new LocalReadWriteLock(key, engine));
    this.semaphores = new LockCache<>(key -> new LocalSemaphore(key, engine));
  }

  /** The exclusive lock with this key. */
  public LockHandle lock(String key) {
    return locks.get(key);
  }

  /** One side of the read-write lock with this key. */
  public LockHandle readWrite(String key, Claim claim) {
    return new ReadWriteHandle(readWriteLocks.get(key), claim);
  }

  /** The semaphore with this key. */
  public LocalSemaphore semaphore(String key) {
    return semaphores.get(key);
  }

  /** Several exclusive locks as one, taken in the order of their keys. */
  public LockHandle multi(Collection<String> keys) {
    return new MultiHandle(keys.stream().sorted().map(locks::get).toList(), engine);
  }

  /**
   * Forgets the listeners of a lock; the rest goes with the last reference to it, so that there are
   * never two gates for one key.
   *
   * @throws IllegalStateException when it is held or waited for in this process
   */
  public void destroy(String key) {
    LocalMutex lock = locks.find(key);
    if (lock == null) {
      return;
    }
    if (!lock.isIdle()) {
      throw new IllegalStateException(
          "lock '%s' is held or waited for in this process; unlock it before it is destroyed"
              .formatted(key));
    }
    lock.endLingering();
    lock.listeners().clear();
  }

  /** How many keys are known. */
  public int size() {
    return locks.size() + readWriteLocks.size() + semaphores.size();
  }
}
