package io.holdfast.bench.lock;

/** One lock, semaphore or side of a read-write lock, with the least that all libraries have. */
public interface BenchLock {
  /**
   * Waits until it has the lock.
   *
   * @return what {@link #release} needs; libraries that need nothing return any object
   */
  Object acquire() throws InterruptedException;

  /** Gives it back, on the thread that took it. */
  void release(Object held);
}
