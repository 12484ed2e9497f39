package io.holdfast.micrometer;

import io.holdfast.Finding;
import io.holdfast.LockHealth;
import io.holdfast.MetricsCollector;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/**
 * Gauges over all open lock managers with one kind of store. They are registered while at least one
 * of these managers is open. A registry has only a weak reference to this object, and this object
 * has no reference to a closed manager.
 */
final class EngineGauges {
  private final MeterRegistry registry;
  private final Tags tags;

  /** Guarded by this. */
  private final List<Meter> registered = new ArrayList<>();

  /** Replaced as a whole, so that reading a gauge needs no lock and counts nothing twice. */
  private volatile State now = new State(List.of(), 0);

  private record State(List<MetricsCollector.Source> managers, long reconnectsOfTheClosed) {
    State with(MetricsCollector.Source manager) {
      List<MetricsCollector.Source> more = new ArrayList<>(managers);
      more.add(manager);
      return new State(List.copyOf(more), reconnectsOfTheClosed);
    }

    State without(MetricsCollector.Source manager) {
      List<MetricsCollector.Source> less = new ArrayList<>(managers);
      if (!less.remove(manager)) {
        return this;
      }
      long reconnects = reconnectsOfTheClosed + manager.health().reconnects();
      return new State(List.copyOf(less), reconnects);
    }
  }

  EngineGauges(MeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
  }

  synchronized void add(MetricsCollector.Source manager) {
    now = now.with(manager);
    if (registered.isEmpty()) {
      register();
    }
  }

  synchronized void remove(MetricsCollector.Source manager) {
    State left = now.without(manager);
    now = left;
    if (left.managers().isEmpty()) {
      registered.forEach(registry::remove);
      registered.clear();
    }
  }

  private void register() {
    gauge("holdfast.managers", "Open lock managers", gauges -> gauges.now.managers().size());
    gauge(
        "holdfast.locks.held",
        "Locks and permits that are held",
        gauges -> gauges.sum(LockHealth::held));
    gauge(
        "holdfast.locks.waiting",
        "Threads and futures that wait for a lock, for permits or at a latch",
        gauges -> gauges.sum(LockHealth::waiting));
    gauge(
        "holdfast.locks.waiting.local",
        "Waiters behind another waiter or holder of their own process",
        gauges -> gauges.sum(LockHealth::waitingLocally));
    gauge(
        "holdfast.connections",
        "Open connections to the store",
        gauges -> gauges.sum(LockHealth::connections));
    gauge(
        "holdfast.locks.degraded",
        "Held locks that are process-local because the store was unreachable",
        gauges -> gauges.sum(LockHealth::degraded));
    gauge(
        "holdfast.store.reachable",
        "1 if the store answered every manager when it was last asked",
        gauges -> gauges.isTrueForAll(LockHealth::reachable));
    for (Finding.Check check : Finding.Check.values()) {
      Gauge.Builder<EngineGauges> healthy =
          Gauge.builder(
              "holdfast.watchdog.healthy", this, gauges -> gauges.isTrueForAll(passes(check)));
      registered.add(
          healthy
              .description("1 if this check has found nothing lately")
              .tags(tags.and("check", MeterFactory.lower(check)))
              .register(registry));
    }
    registered.add(
        FunctionCounter.builder("holdfast.store.reconnects", this, EngineGauges::reconnects)
            .description("How often a connection was lost and came back")
            .tags(tags)
            .register(registry));
  }

  private void gauge(String name, String description, ToDoubleFunction<EngineGauges> value) {
    registered.add(
        Gauge.builder(name, this, value).description(description).tags(tags).register(registry));
  }

  private static Predicate<LockHealth> passes(Finding.Check check) {
    return health -> health.findings().stream().noneMatch(each -> each.kind().check() == check);
  }

  private int sum(ToIntFunction<LockHealth> number) {
    return now.managers().stream().map(MetricsCollector.Source::health).mapToInt(number).sum();
  }

  private int isTrueForAll(Predicate<LockHealth> condition) {
    return now.managers().stream().map(MetricsCollector.Source::health).allMatch(condition) ? 1 : 0;
  }

  private double reconnects() {
    State state = now;
    return state.reconnectsOfTheClosed()
        + state.managers().stream().mapToLong(each -> each.health().reconnects()).sum();
  }
}
