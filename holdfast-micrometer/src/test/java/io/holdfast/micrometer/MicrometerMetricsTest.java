package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.DistributedCountDownLatch;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockManager;
import io.holdfast.StoreUnavailableException;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meters of a registry after events of a real manager. */
@Timeout(600)
class MicrometerMetricsTest {
  private static final LockConfig QUICK =
      LockConfig.builder()
          .leaseTime(Duration.ofMinutes(2))
          .renewalTime(Duration.ofMillis(350)) // some checks find no renewal since the last one
          .watchdogPeriod(Duration.ofMillis(100))
          .build();

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final SilentStore store = new SilentStore();
  private final LockManager manager = manager(new MicrometerMetrics(registry));

  private LockManager manager(MicrometerMetrics metrics) {
    return LockManager.builder("memory:micrometer")
        .engine(store)
        .defaults(QUICK)
        .metrics(metrics)
        .build();
  }

  @AfterEach
  void close() {
    store.ignore();
    manager.close();
  }

  @Test
  void timesWaitsAndHolds() throws InterruptedException {
    DistributedLock lock = manager.getLock("stock:42");
    Lease held = lock.acquire();
    assertThat(lock.tryLock(Duration.ofMillis(20))).isFalse();
    held.close();
    manager.getLock("stock:43").acquire().close();

    assertThat(timer("holdfast.acquire", "stock", "acquired").count()).isEqualTo(2);
    Timer gaveUp = timer("holdfast.acquire", "stock", "gave_up");
    assertThat(gaveUp.count()).isEqualTo(1);
    assertThat(gaveUp.totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(20);
    Timer holds = timer("holdfast.hold", "stock", "released");
    assertThat(holds.count()).isEqualTo(2);
    assertThat(holds.max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(20);
  }

  @Test
  void countsFaults() {
    store.ignore("acquire");
    assertThatThrownBy(() -> manager.getLock("a").tryLock())
        .isInstanceOf(StoreUnavailableException.class);

    assertThat(timer("holdfast.acquire", "a", "failed").count()).isEqualTo(1);
    assertThat(count("holdfast.errors", "error", "store_unavailable")).isEqualTo(1);
  }

  @Test
  void countsFaultsOfOtherRequestsAsErrorsButNotAsFailedAcquisitions() {
    manager.getLock("a").acquire().close();
    store.ignore("inspect");
    assertThatThrownBy(() -> manager.getLock("a").info())
        .isInstanceOf(StoreUnavailableException.class);

    assertThat(count("holdfast.errors", "error", "store_unavailable")).isEqualTo(1);
    assertThat(registry.find("holdfast.acquire").tag("outcome", "failed").timer()).isNull();
  }

  @Test
  void timesWaitsAtALatchAndCountsItsWaiters() throws InterruptedException {
    DistributedCountDownLatch latch = manager.getCountDownLatch("start:1");
    latch.trySetCount(1);
    assertThat(latch.await(Duration.ofMillis(20))).isFalse();
    CompletableFuture<Boolean> waiting = latch.awaitAsync();
    assertThat(registry.get("holdfast.locks.waiting").gauge().value()).isEqualTo(1);
    latch.countDown();
    assertThat(waiting.join()).isTrue();

    assertThat(timer("holdfast.acquire", "start", "passed").count()).isEqualTo(1);
    assertThat(timer("holdfast.acquire", "start", "gave_up").count()).isEqualTo(1);
    assertThat(registry.get("holdfast.locks.waiting").gauge().value()).isZero();
  }

  @Test
  void countsLosses() {
    manager.getLock("a").acquire();
    manager.getLock("a").forceUnlock();

    assertThat(count("holdfast.lost", "reason", "gone_from_store")).isEqualTo(1);
    assertThat(timer("holdfast.hold", "a", "lost").count()).isEqualTo(1);
  }

  @Test
  void countsRenewalsAndChecks() {
    try (Lease lease = manager.getLock("a").acquire()) {
      awaitCount("holdfast.renewals", "outcome", "renewed");
      for (String check : new String[] {"renewal", "lock_state", "holder_thread", "connection"}) {
        await()
            .untilAsserted(
                () ->
                    assertThat(
                            registry
                                .get("holdfast.watchdog.checks")
                                .tags("check", check, "outcome", "ok")
                                .counter()
                                .count())
                        .as(check)
                        .isPositive());
      }
      assertThat(registry.get("holdfast.store.ping").timer().count()).isPositive();
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void countsFindingsAlertsAndRecoveries() throws InterruptedException {
    Thread forgetful = new Thread(() -> manager.getLock("a").lock());
    forgetful.start();
    forgetful.join();

    awaitCount("holdfast.watchdog.findings", "kind", "thread_ended");
    awaitCount("holdfast.watchdog.alerts", "kind", "thread_ended");
    await()
        .untilAsserted(
            () ->
                assertThat(
                        registry
                            .get("holdfast.recoveries")
                            .tags("action", "release", "outcome", "worked")
                            .counter()
                            .count())
                    .isEqualTo(1));
  }

  @Test
  void showsAStoreThatDoesNotAnswer() {
    assertThat(gauge("holdfast.store.reachable")).isEqualTo(1);
    store.ignore("ping");

    await().untilAsserted(() -> assertThat(gauge("holdfast.store.reachable")).isZero());
    await().untilAsserted(() -> assertThat(healthy("connection")).isZero());
    assertThat(healthy("renewal")).isEqualTo(1);

    store.ignore();
    await().untilAsserted(() -> assertThat(gauge("holdfast.store.reachable")).isEqualTo(1));
    await().untilAsserted(() -> assertThat(healthy("connection")).isEqualTo(1));
  }

  @Test
  void showsHoldersAndWaiters() {
    try (Lease lease = manager.getLock("a").acquire();
        LockManager other = LockManager.create("memory:micrometer")) {
      other.getLock("b").lock();
      var waiting = manager.getLock("b").acquireAsync();
      await().untilAsserted(() -> assertThat(gauge("holdfast.locks.waiting")).isEqualTo(1));
      assertThat(gauge("holdfast.locks.held")).isEqualTo(1);
      assertThat(gauge("holdfast.locks.degraded")).isZero();
      assertThat(lease.isValid()).isTrue();
      waiting.cancel(false);
    }
    await().untilAsserted(() -> assertThat(gauge("holdfast.locks.held")).isZero());
    await().untilAsserted(() -> assertThat(gauge("holdfast.locks.waiting")).isZero());
  }

  @Test
  void boundsTheNumberOfFamilies() {
    SimpleMeterRegistry other = new SimpleMeterRegistry();
    MicrometerMetrics metrics =
        MicrometerMetrics.builder(other).family(key -> key).mostFamilies(3).build();
    try (LockManager another = manager(metrics)) {
      for (int i = 0; i < 50; i++) {
        another.getLock("k" + i).acquire().close();
      }
    }

    assertThat(other.get("holdfast.acquire").timers())
        .extracting(timer -> timer.getId().getTag("family"))
        .containsExactlyInAnyOrder("k0", "k1", "k2", "other");
    assertThat(other.get("holdfast.acquire").tags("family", "other").timer().count()).isEqualTo(47);
  }

  @Test
  void hasHistogramsIfTheyAreEnabled() {
    assertThat(scrape(false)).contains("holdfast_acquire_seconds_count").doesNotContain("le=");
    assertThat(scrape(true).lines())
        .anyMatch(line -> line.startsWith("holdfast_acquire_seconds_bucket{"))
        .anyMatch(line -> line.startsWith("holdfast_hold_seconds_bucket{"))
        .anyMatch(line -> line.startsWith("holdfast_store_ping_seconds_bucket{"));
  }

  private String scrape(boolean histograms) {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MicrometerMetrics metrics =
        MicrometerMetrics.builder(prometheus).percentileHistogram(histograms).build();
    try (LockManager another = manager(metrics)) {
      another.getLock("a").acquire().close();
      return prometheus.scrape();
    }
  }

  private Timer timer(String name, String family, String outcome) {
    return registry
        .get(name)
        .tags("engine", "memory", "family", family, "outcome", outcome)
        .timer();
  }

  private double count(String name, String tag, String value) {
    return registry.get(name).tags("engine", "memory", tag, value).counter().count();
  }

  private void awaitCount(String name, String tag, String value) {
    await().ignoreExceptions().until(() -> count(name, tag, value) > 0);
  }

  private double gauge(String name) {
    return registry.get(name).tags("engine", "memory").gauge().value();
  }

  private double healthy(String check) {
    return registry.get("holdfast.watchdog.healthy").tags("check", check).gauge().value();
  }
}
