package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a collector of metrics hears, and what it cannot break. */
class MetricsCollectorTest {
  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

  @Test
  void hearsOfEveryHoldAndEveryWaitThatWasGivenUp() throws InterruptedException {
    try (LockManager manager = manager(new Recording());
        LockManager other = LockManager.create("memory:metrics-story")) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      lock.lock(); // entering again is not another hold
      lock.unlock();
      lock.unlock();
      manager.getSemaphore("s", 1).acquire().close();
      other.getLock("k").lock();
      assertThat(lock.tryLock(Duration.ofMillis(10))).isFalse();
      other.getLock("k").unlock();
      assertThat(heard)
          .containsExactly("acquired k", "released k", "acquired s", "released s", "gave up k");
    }
  }

  @Test
  void hearsOfALoss() {
    try (LockManager manager = manager(new Recording())) {
      manager.getLock("k").lock();
      manager.getLock("k").forceUnlock();
      assertThat(heard).containsExactly("acquired k", "lost k GONE_FROM_STORE");
    }
  }

  @Test
  void cannotHarmALockByThrowing() {
    MetricsCollector broken =
        new MetricsCollector() {
          @Override
          public void acquired(String key, Duration waited) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void released(String key, Duration held) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (LockManager manager = manager(broken)) {
      DistributedLock lock = manager.getLock("k");
      lock.lock();
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      lock.unlock();
      assertThat(lock.isLocked()).isFalse();
    }
  }

  private static LockManager manager(MetricsCollector collector) {
    return LockManager.builder("memory:metrics-story").metrics(collector).build();
  }

  private final class Recording implements MetricsCollector {
    @Override
    public void acquired(String key, Duration waited) {
      assertThat(waited).isGreaterThanOrEqualTo(Duration.ZERO);
      heard.add("acquired " + key);
    }

    @Override
    public void gaveUp(String key, Duration waited) {
      assertThat(waited).isGreaterThanOrEqualTo(Duration.ofMillis(10));
      heard.add("gave up " + key);
    }

    @Override
    public void released(String key, Duration held) {
      assertThat(held).isGreaterThanOrEqualTo(Duration.ZERO);
      heard.add("released " + key);
    }

    @Override
    public void lost(String key, LossReason reason, Duration held) {
      heard.add("lost " + key + " " + reason);
    }
  }
}
