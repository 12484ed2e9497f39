package io.holdfast.bench.lock;

import java.util.concurrent.ThreadLocalRandom;

/** A read-write lock under a mixed load: nine of ten acquisitions read. */
record MixedLock(BenchLock read, BenchLock write) implements BenchLock {
  private static final int WRITE_PERCENT = 10;

  @Override
  public Object acquire() throws InterruptedException {
    BenchLock side = ThreadLocalRandom.current().nextInt(100) < WRITE_PERCENT ? write : read;
    side.acquire(); // sides of read-write locks return nothing that counts
    return side;
  }

  @Override
  public void release(Object held) {
    ((BenchLock) held).release(held);
  }
}
