package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockHealth;
import io.holdfast.LockManager;
import io.holdfast.MetricsCollector;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gauges over several managers, while they are open and after they are closed. */
@Timeout(600)
class EngineGaugesTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MicrometerMetrics metrics = new MicrometerMetrics(registry);

  @Test
  void gaugesAreSumsOverTheManagersOfAKindOfStore() {
    Manager one = new Manager("redis", 3);
    Manager two = new Manager("redis", 4);
    Manager three = new Manager("memory", 5);
    List.of(one, two, three).forEach(metrics::started);

    assertThat(gauge("holdfast.managers", "redis")).isEqualTo(2);
    assertThat(gauge("holdfast.locks.held", "redis")).isEqualTo(7);
    assertThat(gauge("holdfast.locks.held", "memory")).isEqualTo(5);
    assertThat(gauge("holdfast.store.reachable", "redis")).isEqualTo(1);
    two.reachable = false;
    assertThat(gauge("holdfast.store.reachable", "redis")).isZero();
    assertThat(gauge("holdfast.store.reachable", "memory")).isEqualTo(1);
  }

  @Test
  void gaugesCountConnectionsAndWaiters() {
    Manager one = new Manager("redis", 0);
    Manager two = new Manager("redis", 0);
    List.of(one, two).forEach(metrics::started);
    one.connections = 2;
    two.connections = 1;
    one.waiting = 5;
    two.waiting = 6;
    one.local = 3;
    two.local = 4;

    assertThat(gauge("holdfast.connections", "redis")).isEqualTo(3);
    assertThat(gauge("holdfast.locks.waiting", "redis")).isEqualTo(11);
    assertThat(gauge("holdfast.locks.waiting.local", "redis")).isEqualTo(7);
  }

  @Test
  void gaugesAreRemovedWithTheLastManager() {
    Manager one = new Manager("redis", 3);
    Manager two = new Manager("redis", 4);
    MetricsCollector first = metrics.started(one);
    MetricsCollector second = metrics.started(two);

    first.stopped(one);
    assertThat(gauge("holdfast.locks.held", "redis")).isEqualTo(4);
    second.stopped(two);

    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getType())
        .doesNotContain(Meter.Type.GAUGE);
    assertThat(registry.find("holdfast.store.reconnects").functionCounter()).isNull();
    assertThat(registry.get("holdfast.store.ping").timer()).as("stays").isNotNull();

    metrics.started(new Manager("redis", 9));
    assertThat(gauge("holdfast.locks.held", "redis")).isEqualTo(9);
  }

  @Test
  void gaugesAreRemovedWithARealManager() {
    LockManager manager = LockManager.builder("memory:").metrics(metrics).build();
    assertThat(gauge("holdfast.managers", "memory")).isEqualTo(1);

    manager.close();

    assertThat(registry.find("holdfast.managers").gauge()).isNull();
  }

  @Test
  void theCounterOfReconnectsNeverDecreases() {
    Manager one = new Manager("redis", 0);
    Manager two = new Manager("redis", 0);
    metrics.started(one);
    MetricsCollector counts = metrics.started(two);
    one.reconnects = 2;
    two.reconnects = 3;
    assertThat(reconnects()).isEqualTo(5);

    counts.stopped(two);
    assertThat(reconnects()).isEqualTo(5);
    counts.stopped(two);
    assertThat(reconnects()).as("stopped twice").isEqualTo(5);
    one.reconnects = 4;
    assertThat(reconnects()).isEqualTo(7);
  }

  @Test
  void gaugesKeepNoClosedManager() {
    metrics.started(new Manager("redis", 1));
    WeakReference<Manager> closed = startedAndStopped();

    await()
        .until(
            () -> {
              System.gc();
              return closed.get() == null;
            });
    assertThat(gauge("holdfast.managers", "redis")).isEqualTo(1);
  }

  private WeakReference<Manager> startedAndStopped() {
    Manager manager = new Manager("redis", 1);
    metrics.started(manager).stopped(manager);
    return new WeakReference<>(manager);
  }

  private double gauge(String name, String engine) {
    return registry.get(name).tags("engine", engine).gauge().value();
  }

  private double reconnects() {
    return registry.get("holdfast.store.reconnects").functionCounter().count();
  }

  private static final class Manager implements MetricsCollector.Source {
    private final String engine;
    private final int held;
    private boolean reachable = true;
    private long reconnects;
    private int connections;
    private int waiting;
    private int local;

    Manager(String engine, int held) {
      this.engine = engine;
      this.held = held;
    }

    @Override
    public String engine() {
      return engine;
    }

    @Override
    public LockHealth health() {
      return new LockHealth(
          engine, reachable, null, connections, reconnects, held, waiting, local, 0, List.of());
    }
  }
}
