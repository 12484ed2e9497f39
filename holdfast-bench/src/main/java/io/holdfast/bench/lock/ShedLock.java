package io.holdfast.bench.lock;

import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lock of ShedLock. It cannot wait, so it is only measured where nobody else wants the lock. */
record ShedLock(LockProvider provider, String key) implements BenchLock {
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  @Override
  public Object acquire() {
    return provider
        .lock(new LockConfiguration(Instant.now(), key, AT_MOST, Duration.ZERO))
        .orElseThrow(() -> new IllegalStateException("ShedLock cannot wait, and it is taken"));
  }

  @Override
  public void release(Object held) {
    ((SimpleLock) held).unlock();
  }
}
