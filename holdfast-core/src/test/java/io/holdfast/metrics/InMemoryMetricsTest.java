package io.holdfast.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.Finding;
import io.holdfast.Lease;
import io.holdfast.LockHealth;
import io.holdfast.LockManager;
import io.holdfast.LossReason;
import io.holdfast.ManualTime;
import io.holdfast.MetricsCollector;
import io.holdfast.WatchedStore;
import io.holdfast.memory.MemoryStore;
import io.holdfast.metrics.MetricsSnapshot.Checks;
import io.holdfast.metrics.MetricsSnapshot.Family;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is counted when things happen to the locks of a real manager. */
@Timeout(600)
class InMemoryMetricsTest {
  private final InMemoryMetrics metrics = new InMemoryMetrics();
  private final ManualTime time = new ManualTime();
  private final MemoryStore memory = new MemoryStore(time);
  private final WatchedStore store = new WatchedStore(memory);
  private final LockManager manager = manager(metrics);

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void countsHoldsWithTheirTimes() {
    for (int i = 1; i <= 100; i++) {
      Lease first = manager.getLock("stock:" + i).acquire();
      CompletableFuture<Lease> second = manager.getLock("stock:" + i).acquireAsync();
      time.advance(Duration.ofMillis(i));
      first.close();
      second.join().close();
    }

    Family stock = family("stock");
    assertThat(stock.acquired()).isEqualTo(200);
    assertThat(stock.waited().p50()).isZero();
    near(stock.waited().p90(), Duration.ofMillis(80));
    near(stock.waited().p99(), Duration.ofMillis(98));
    assertThat(stock.waited().max()).isEqualTo(Duration.ofMillis(100));
    assertThat(stock.waited().mean()).isEqualTo(Duration.ofNanos(25_250_000));
    assertThat(stock.held().count()).isEqualTo(200);
    assertThat(stock.held().max()).isEqualTo(Duration.ofMillis(100));
    assertThat(stock.acquireSuccessRate()).hasValue(1);
    assertThat(stock.errorRate()).hasValue(0);
    assertThat(stock.renewalSuccessRate()).isEmpty();
  }

  @Test
  void countsThoseWhoDoNotGetALock() {
    try (Lease held = manager.getLock("a").acquire()) {
      assertThat(manager.getLock("a").tryLock()).isFalse();
      assertThat(held.isValid()).isTrue();
    }

    assertThat(family("a").gaveUp()).isEqualTo(1);
    assertThat(family("a").acquireSuccessRate()).hasValue(0.5);
  }

  @Test
  void countsWaitsAtALatchAndHowTheyEnd() {
    DistributedCountDownLatch latch = manager.getCountDownLatch("a");
    latch.trySetCount(1);
    CompletableFuture<Boolean> passes = latch.awaitAsync();
    CompletableFuture<Boolean> tooLate = latch.awaitAsync(Duration.ofSeconds(1));
    assertThat(manager.health().waiting()).isEqualTo(2);
    assertThat(manager.health().waitingLocally()).isZero();
    time.advance(Duration.ofSeconds(2));
    assertThat(tooLate.join()).isFalse();
    latch.countDown();
    assertThat(passes.join()).isTrue();
    store.answer(
        "acquire", call -> CompletableFuture.failedFuture(new BackendException("no", null)));
    assertThat(catchThrowable(() -> latch.awaitAsync().join())).hasMessageContaining("no");

    Family waits = family("a");
    assertThat(waits.passed().count()).isEqualTo(1);
    assertThat(waits.passed().max()).isEqualTo(Duration.ofSeconds(2));
    assertThat(waits.gaveUp()).isEqualTo(1);
    assertThat(waits.failed()).isEqualTo(1);
    assertThat(waits.acquired()).as("nobody holds a latch").isZero();
    assertThat(waits.acquireSuccessRate()).hasValue(1.0 / 3);
    assertThat(waits.errorRate()).hasValue(1.0 / 3);
    assertThat(manager.health().waiting()).isZero();
  }

  @Test
  void countsRenewalsAndRecoveriesAndLosses() {
    Lease lease = manager.getLock("a").acquire();
    time.advance(Duration.ofSeconds(15));
    assertThat(family("a").renewed()).isPositive();
    store.answer(
        "renew",
        call ->
            CompletableFuture.completedFuture(
                List.of(new RenewResult.Unknown(new TimeoutException("on purpose")))));
    time.advance(Duration.ofSeconds(60));
    store.answerNormally("renew");

    assertThat(lease.isValid()).isFalse();
    Family family = family("a");
    assertThat(family.lost()).containsOnlyKeys(LossReason.NOT_RENEWED);
    assertThat(family.losses()).isEqualTo(1);
    assertThat(family.renewalsFailed()).isPositive();
    assertThat(family.renewalSuccessRate().orElseThrow()).isBetween(0.001, 0.999);
  }

  @Test
  void countsWhatTheWatchdogDoes() throws InterruptedException {
    Thread forgetful = new Thread(() -> manager.getLock("a").lock());
    forgetful.start();
    forgetful.join();
    time.advance(Duration.ofSeconds(11));

    MetricsSnapshot snapshot = metrics.snapshot();
    assertThat(family("a").findings()).containsEntry(Finding.Kind.THREAD_ENDED, 1L);
    assertThat(family("a").alerts()).isEqualTo(1);
    assertThat(family("a").recovered()).isEqualTo(1);
    assertThat(family("a").recoverySuccessRate()).hasValue(1);
    assertThat(snapshot.checks().get(Finding.Check.HOLDER_THREAD)).isEqualTo(new Checks(0, 1));
    assertThat(snapshot.checks().get(Finding.Check.CONNECTION)).isEqualTo(new Checks(2, 0));
    assertThat(snapshot.ping().count()).isEqualTo(2);
  }

  @Test
  void countsAStoreThatDoesNotAnswer() {
    store.answer("ping", call -> CompletableFuture.failedFuture(new TimeoutException("silent")));
    time.advance(Duration.ofSeconds(6));

    MetricsSnapshot snapshot = metrics.snapshot();
    assertThat(snapshot.checks()).containsEntry(Finding.Check.CONNECTION, new Checks(0, 1));
    assertThat(snapshot.storeFindings()).containsEntry(Finding.Kind.STORE_UNREACHABLE, 1L);
    assertThat(snapshot.managers()).extracting(LockHealth::reachable).containsExactly(false);
    assertThat(snapshot.toString()).contains("memory: NOT REACHABLE, 0 connections, 0 held");
  }

  @Test
  void knowsTheOpenManagersAndNoOthers() {
    try (Lease held = manager.getLock("a").acquire();
        LockManager another = manager(metrics)) {
      assertThat(metrics.snapshot().managers())
          .extracting(LockHealth::held)
          .containsExactlyInAnyOrder(1, 0);
      assertThat(another.health().held()).isZero();
      assertThat(held.isValid()).isTrue();
    }
    assertThat(metrics.snapshot().managers()).hasSize(1);
    manager.close();
    assertThat(metrics.snapshot().managers()).isEmpty();
  }

  @Test
  void takesARuleForFamilies() {
    InMemoryMetrics byLength = new InMemoryMetrics(key -> "length " + key.length(), 2);
    try (LockManager another = manager(byLength)) {
      List.of("a", "b", "cc", "ddd", "eeee").forEach(k -> another.getLock(k).acquire().close());
    }
    assertThat(byLength.snapshot().families())
        .containsOnlyKeys("length 1", "length 2", LockFamilies.OTHER);
    assertThat(Objects.requireNonNull(byLength.snapshot().families().get("other")).acquired())
        .isEqualTo(2);
  }

  @Test
  void isATableForPeople() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      Lease lease = manager.getLock("stock:1").acquire();
      time.advance(Duration.ofMillis(1500));
      lease.close();
      manager.getLock("a\nb").acquire().close();

      assertThat(metrics.toString().lines().map(String::stripTrailing))
          .containsExactly(
              "memory: reachable, 0 connections, 0 held, 0 waiting (0 locally), 0 degraded, 0 reconnects",
              "family  acquired  passed  gave up  failed  asks failed  wait p50   p99   max"
                  + "  hold p50     p99     max  renewed  not renewed  lost  alerts  recovered",
              "a?b            1       0        0       0            0      0 ns  0 ns  0 ns"
                  + "      0 ns    0 ns    0 ns        0            0     0       0        0/0",
              "stock          1       0        0       0            0      0 ns  0 ns  0 ns"
                  + "    1.50 s  1.50 s  1.50 s        0            0     0       0        0/0");
    } finally {
      Locale.setDefault(before);
    }
  }

  private Family family(String name) {
    return Objects.requireNonNull(metrics.snapshot().families().get(name), name);
  }

  private static void near(Duration found, Duration exact) {
    assertThat((double) found.toNanos()).isBetween(exact.toNanos() * 0.99, exact.toNanos() * 1.01);
  }

  private LockManager manager(MetricsCollector collector) {
    return time.drive(LockManager.builder("memory:"))
        .engine(store)
        .callbackExecutor(Runnable::run)
        .metrics(collector)
        .build();
  }
}
