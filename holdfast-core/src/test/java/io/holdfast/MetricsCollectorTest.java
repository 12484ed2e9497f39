package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What a collector of metrics hears, and what it cannot break. */
@Isolated
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

  @Test
  void isToldWhenAManagerStartsAndStopsAndMaySendAnotherToCount() {
    List<MetricsCollector.Source> open = new ArrayList<>();
    MetricsCollector own =
        new MetricsCollector() {
          @Override
          public void acquired(String key, Duration waited) {
            heard.add("acquired " + key);
          }

          @Override
          public void stopped(MetricsCollector.Source manager) {
            assertThat(open.remove(manager)).isTrue();
            heard.add("stopped");
          }
        };
    MetricsCollector shared =
        new MetricsCollector() {
          @Override
          public MetricsCollector started(MetricsCollector.Source manager) {
            open.add(manager);
            heard.add("started " + manager.engine());
            return own;
          }

          @Override
          public void acquired(String key, Duration waited) {
            throw new AssertionError("not asked for");
          }
        };
    try (LockManager manager = manager(shared)) {
      manager.getLock("k").lock();
      assertThat(open).extracting(each -> each.health().held()).containsExactly(1);
    }
    assertThat(heard).containsExactly("started memory", "acquired k", "stopped");
    assertThat(open).isEmpty();
  }

  @Test
  void cannotKeepAManagerFromStartingOrStopping() {
    MetricsCollector broken =
        new MetricsCollector() {
          @Override
          public MetricsCollector started(MetricsCollector.Source manager) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void acquired(String key, Duration waited) {
            heard.add("acquired " + key);
          }

          @Override
          public void stopped(MetricsCollector.Source manager) {
            throw new IllegalStateException("on purpose");
          }
        };
    try (LockManager manager = manager(broken)) {
      manager.getLock("k").lock();
    }
    assertThat(heard).as("it counts all the same").containsExactly("acquired k");
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
