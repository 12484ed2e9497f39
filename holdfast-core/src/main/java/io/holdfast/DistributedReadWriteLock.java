package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A read-write lock that many processes share: any number of readers, or one writer.
 *
 * <pre>{@code
 * DistributedReadWriteLock lock = manager.getReadWriteLock("catalogue");
 * lock.writeLock().lock();
 * try {
 *   rebuild();
 *   lock.readLock().lock();        // downgrade: read on without letting a writer in between
 * } finally {
 *   lock.writeLock().unlock();
 * }
 * try {
 *   read();
 * } finally {
 *   lock.readLock().unlock();
 * }
 * }</pre>
 *
 * <p>Both sides are {@link DistributedLock}s: reentrant, with handles, tokens, renewal and the
 * signal when they are lost. Leases are per process, so that a dead reader does not keep a writer
 * waiting because others go on reading. Readers of one process share one entry in the store.
 * Readers and writers are served in the order in which they came, unless readers are preferred. A
 * thread that reads and asks to write gets an {@link IllegalStateException}: two of them would wait
 * for each other for ever.
 */
public final class DistributedReadWriteLock implements ReadWriteLock {
  private final DistributedLock readLock;
  private final DistributedLock writeLock;

  DistributedReadWriteLock(DistributedLock readLock, DistributedLock writeLock) {
    this.readLock = readLock;
    this.writeLock = writeLock;
  }

  @Override
  public DistributedLock readLock() {
    return readLock;
  }

  @Override
  public DistributedLock writeLock() {
    return writeLock;
  }

  /** The key. */
  public String key() {
    return readLock.key();
  }

  /** Who reads or writes, and who waits. */
  public LockInfo info() {
    return readLock.info();
  }

  @Override
  public String toString() {
    return "DistributedReadWriteLock[" + key() + "]";
  }
}
