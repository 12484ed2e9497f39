package io.holdfast.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.LockLostException;
import io.holdfast.LockManager;
import io.holdfast.internal.BuilderAccess;
import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.testkit.FakeClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The deadline has passed by the clock, but the timer that ends the hold has not run yet. */
@Isolated
class OverdueUnlockTest {
  private final FakeClock clock = new FakeClock();

  /** Its timer never runs: nobody but the thread itself can notice. */
  private final LockManager manager =
      BuilderAccess.time(LockManager.builder("memory:"), clock, (delay, task) -> () -> {})
          .engine(new MemoryBackendProvider(new MemoryStore(clock)))
          .build();

  @Test
  void everyUnlockOfALockThatWasEnteredTwiceSaysThatItWasLost() {
    saysLostTwice(manager.getLock("k"));
  }

  @Test
  void everyUnlockOfAWriteLockThatWasEnteredTwiceSaysThatItWasLost() {
    saysLostTwice(manager.getReadWriteLock("k").writeLock());
  }

  @Test
  void everyUnlockOfAReadLockThatWasEnteredTwiceSaysThatItWasLost() {
    saysLostTwice(manager.getReadWriteLock("k").readLock());
  }

  private void saysLostTwice(DistributedLock lock) {
    lock.lock(1, TimeUnit.SECONDS);
    lock.lock();
    clock.advance(Duration.ofSeconds(1));
    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    assertThatThrownBy(lock::unlock).isExactlyInstanceOf(IllegalMonitorStateException.class);
    lock.lock();
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    lock.unlock();
  }
}
