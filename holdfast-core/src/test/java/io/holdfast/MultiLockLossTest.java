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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multi-locks and settings. */
@Timeout(600)
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
            .atMost(Duration.ofMinutes(2))
            .untilAsserted(
                () -> {
                  assertThat(losses).hasSize(1);
                  assertThat(theirs.getLock("b").isLocked()).as("held for nothing").isFalse();
                });
      }
    }
  }

  /** Another thread is about to give back a part when the manager is closed. */
  @Test
  void closingWaitsForPartsThatAreBeingGivenBack() throws Exception {
    MemoryBackendProvider engine = new MemoryBackendProvider(new MemoryStore(TimeSource.system()));
    CountDownLatch losing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    MetricsCollector slow =
        new MetricsCollector() {
          @Override
          public void lost(String key, LossReason reason, Duration held) {
            if (key.equals("b")) {
              losing.countDown();
              try {
                goOn.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
          }
        };
    try (LockManager theirs = LockManager.builder("memory:").engine(engine).build()) {
      LockManager ours = LockManager.builder("memory:").engine(engine).metrics(slow).build();
      ours.getMultiLock("a", "b").lock();
      theirs.getLock("a").forceUnlock();
      assertThat(losing.await(120, TimeUnit.SECONDS)).isTrue();
      Thread closing = new Thread(ours::close, "closing");
      closing.start();
      closing.join(300);
      goOn.countDown();
      closing.join();
      assertThat(theirs.getLock("b").isLocked()).isFalse();
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
            .defaults(LockConfig.builder().renewalTime(Duration.ofMillis(200)).build())
            .build()) {
      AtomicInteger renewals = new AtomicInteger();
      manager.addListener(
          event -> {
            if (event.kind() == LockEvent.Kind.RENEWED && event.key().equals("good")) {
              renewals.incrementAndGet();
            }
          });
      Lease good = manager.getLock("good").acquire();
      try {
        LockConfig bad =
            LockConfig.builder()
                .lockKey("bad")
                .renewalTime(Duration.ofMillis(200))
                .recoveryStrategy(null)
                .build();
        manager.getLock(bad).acquire();
      } catch (NullPointerException | IllegalArgumentException refused) {
        assertThat(refused).isNotNull(); // as it should be
      }
      int before = renewals.get();
      await().atMost(Duration.ofMinutes(2)).until(() -> renewals.get() >= before + 5);
      assertThat(good.isValid()).isTrue();
    }
  }

  @Test
  void aPeriodThatNobodyCanKeepIsRefused() {
    assertThatThrownBy(() -> LockConfig.builder().watchdogPeriod(Duration.ofNanos(1)).build())
        .isInstanceOf(IllegalArgumentException.class);
  }
}
