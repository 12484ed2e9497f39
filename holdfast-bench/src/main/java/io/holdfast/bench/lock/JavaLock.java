package io.holdfast.bench.lock;

import java.util.concurrent.locks.Lock;

/** A lock of a library that implements {@link Lock}. */
record JavaLock(Lock lock) implements BenchLock {
  @Override
  public Object acquire() {
    lock.lock();
    return this;
  }

  @Override
  public void release(Object held) {
    lock.unlock();
  }
}
