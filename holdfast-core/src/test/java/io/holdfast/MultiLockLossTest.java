package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import io.holdfast.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multi-locks and settings. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry")
class MultiLockLossTest {
  /** The first is forced open by another process between its grant and the binding. */
  @Test
  void aPartThatIsLostBeforeTheBindingEndsTheOthersToo() {
    MemoryBackendProvider engine = new MemoryBackendProvider(new MemoryStore(TimeSource.system()));
    try (LockManager theirs = LockManager.builder("memory:").engine(engine).build()) {
      MetricsCollector meddler =
          new MetricsCollector() {
            @Override
            public void acquired(String key, Duration waited) {
              if (key.equals("b")) {
                theirs.getLock("a").forceUnlock(); // at this very moment, by another process
              }
            }
          };
      try (LockManager ours =
          LockManager.builder("memory:").engine(engine).metrics(meddler).build()) {
        DistributedLock both = ours.getMultiLock("a", "b");
        List<LockLoss> losses = new CopyOnWriteArrayList<>();
        both.onLost(losses::add);
        both.lock();
        assertThat(both.isHeldByCurrentThread()).isFalse();
        await()
            .atMost(Duration.ofSeconds(5))
            .untilAsserted(
                () -> {
                  assertThat(losses).hasSize(1);
                  assertThat(theirs.getLock("b").isLocked()).as("held for nothing").isFalse();
                });
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway")
  void settingsThatAreMissingAreFoundWhenTheyAreBuilt() {
    assertThatThrownBy(() -> LockConfig.builder().fallback(null).build());
  }

  @Test
  @SuppressWarnings("NullAway")
  void aMissingStrategyDoesNotEndTheRenewalsOfOthers() throws Exception {
    try (LockManager manager =
        LockManager.builder("memory:")
            .defaults(LockConfig.builder().leaseTime(Duration.ofMillis(600)).build())
            .build()) {
      Lease good = manager.getLock("good").acquire();
      try {
        LockConfig bad =
            LockConfig.builder()
                .lockKey("bad")
                .leaseTime(Duration.ofMillis(600))
                .recoveryStrategy(null)
                .build();
        manager.getLock(bad).acquire();
      } catch (NullPointerException | IllegalArgumentException refused) {
        assertThat(refused).isNotNull(); // as it should be
      }
      await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(5)).until(good::isValid);
    }
  }

  @Test
  void aPeriodThatNobodyCanKeepIsRefused() {
    assertThatThrownBy(() -> LockConfig.builder().watchdogPeriod(Duration.ofNanos(1)).build())
        .isInstanceOf(IllegalArgumentException.class);
  }
}
