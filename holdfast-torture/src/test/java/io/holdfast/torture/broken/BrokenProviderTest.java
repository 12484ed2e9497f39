package io.holdfast.torture.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The broken engines around a real one, found by its URL: they work, but for their mistake. */
class BrokenProviderTest {
  private static LockManager open(BrokenEngine broken) {
    String url = "memory:";
    return LockManager.builder(url).engine(broken.wrapFor(url)).build();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "FORGETS_WHO_WAITS") // nobody gets anything there
  void aLockCanBeTakenAndGivenBack(BrokenEngine broken) {
    try (LockManager manager = open(broken)) {
      DistributedLock lock = manager.getLock("a");
      lock.lock();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
      assertThat(lock.isHeldByCurrentThread()).isFalse();
    }
  }

  @Test
  void tokensAreForgotten() {
    try (LockManager manager = open(BrokenEngine.FORGETS_TOKENS)) {
      long first;
      try (Lease lease = manager.getLock("a").acquire()) {
        first = lease.token();
      }
      try (Lease lease = manager.getLock("a").acquire()) {
        assertThat(lease.token()).isLessThanOrEqualTo(first);
      }
    }
  }

  @Test
  void aLatchIsCountedTwice() {
    try (LockManager manager = open(BrokenEngine.COUNTS_TWICE)) {
      DistributedCountDownLatch latch = manager.getCountDownLatch("a");
      latch.trySetCount(3);
      assertThat(latch.countDown()).isEqualTo(1);
      assertThat(latch.countDown()).isZero();
    }
  }

  @Test
  void onePermitTooManyIsGranted() {
    try (LockManager manager = open(BrokenEngine.GRANTS_ONE_TOO_MANY)) {
      DistributedSemaphore semaphore = manager.getSemaphore("a", 1);
      Lease first = semaphore.tryAcquire().orElseThrow();
      Lease second = semaphore.tryAcquire().orElseThrow();
      assertThat(semaphore.tryAcquire()).isEmpty();
      second.close();
      first.close();
    }
  }

  @Test
  void aUrlOfNoEngineIsRefused() {
    assertThatThrownBy(() -> BrokenEngine.FORGETS_TOKENS.wrapFor("nothing:"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nothing:");
  }
}
