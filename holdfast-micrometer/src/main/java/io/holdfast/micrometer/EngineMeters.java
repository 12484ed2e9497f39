package io.holdfast.micrometer;

import static io.holdfast.micrometer.MeterFactory.lower;

import io.holdfast.Finding;
import io.holdfast.LossReason;
import io.holdfast.MetricsCollector;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.metrics.LockFamilies;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** The meters of all lock managers with one kind of store. */
final class EngineMeters implements MetricsCollector {
  private final MeterFactory meters;
  private final LockFamilies<FamilyMeters> families;
  private final EngineGauges gauges;
  private final Timer ping;
  private final Counter messagesLost;

  EngineMeters(String engine, MicrometerMetrics.Settings settings) {
    Tags tags = Tags.of("engine", engine);
    this.meters = new MeterFactory(settings.registry(), settings.percentileHistogram(), tags);
    this.families =
        new LockFamilies<>(
            settings.family(), settings.mostFamilies(), family -> new FamilyMeters(meters, family));
    this.gauges = new EngineGauges(settings.registry(), tags);
    this.ping = meters.timer("holdfast.store.ping", "How long the store took to answer a ping");
    String outages = "Outages of messages from a store that still answers";
    this.messagesLost = meters.counter("holdfast.store.messages.lost", outages, Tags.empty(), "");
    countFromZero();
  }

  /** Registers counters before their first event, so that a rate includes that event. */
  private void countFromZero() {
    for (Finding.Check check : Finding.Check.values()) {
      checks(check, true);
      checks(check, false);
    }
    for (Action action : Action.values()) {
      recoveries(action, true);
      recoveries(action, false);
    }
    for (Finding.Kind kind : Finding.Kind.values()) {
      findings(kind);
      alerts(kind);
    }
  }

  private Counter checks(Finding.Check check, boolean ok) {
    Tags tags = Tags.of("check", lower(check), "outcome", ok ? "ok" : "not_ok");
    String what = "Checks of the watchdog";
    return meters.counter("holdfast.watchdog.checks", what, tags, check + (ok ? "+" : "-"));
  }

  private Counter findings(Finding.Kind kind) {
    String what = "Findings of the watchdog";
    return meters.counter("holdfast.watchdog.findings", what, "kind", lower(kind));
  }

  private Counter alerts(Finding.Kind kind) {
    String what = "Findings of the watchdog that need the attention of an operator";
    return meters.counter("holdfast.watchdog.alerts", what, "kind", lower(kind));
  }

  private Counter recoveries(Action action, boolean worked) {
    Tags tags = Tags.of("action", lower(action), "outcome", worked ? "worked" : "failed");
    String what = "Repairs that the watchdog attempted";
    return meters.counter("holdfast.recoveries", what, tags, action + (worked ? "+" : "-"));
  }

  @Override
  public MetricsCollector started(MetricsCollector.Source manager) {
    gauges.add(manager);
    return this;
  }

  @Override
  public void stopped(MetricsCollector.Source manager) {
    gauges.remove(manager);
  }

  @Override
  public void acquired(String key, Duration waited) {
    families.of(key).acquired(waited);
  }

  @Override
  public void gaveUp(String key, Duration waited) {
    families.of(key).gaveUp(waited);
  }

  @Override
  public void failed(String key, Duration waited, Throwable fault) {
    families.of(key).failed(waited, fault);
  }

  @Override
  public void passed(String key, Duration waited) {
    families.of(key).passed(waited);
  }

  @Override
  public void requestFailed(String key, Duration took, Throwable fault) {
    families.of(key).requestFailed(fault);
  }

  @Override
  public void released(String key, Duration held) {
    families.of(key).released(held);
  }

  @Override
  public void renewed(String key) {
    families.of(key).renewed();
  }

  @Override
  public void renewalFailed(String key) {
    families.of(key).renewalFailed();
  }

  @Override
  public void degraded(String key) {
    families.of(key).degraded();
  }

  @Override
  public void releaseFailed(String key) {
    families.of(key).releaseFailed();
  }

  @Override
  public void lost(String key, LossReason reason, Duration held) {
    families.of(key).lost(reason, held);
  }

  @Override
  public void checked(Finding.Check check, boolean ok) {
    checks(check, ok).increment();
  }

  @Override
  public void found(Finding finding) {
    findings(finding.kind()).increment();
  }

  @Override
  public void alerted(Finding finding) {
    alerts(finding.kind()).increment();
  }

  @Override
  public void recovery(String key, Action action, boolean worked) {
    recoveries(action, worked).increment();
  }

  @Override
  public void storeAnswered(Duration latency) {
    ping.record(latency);
  }

  @Override
  public void messagesLost() {
    messagesLost.increment();
  }
}
