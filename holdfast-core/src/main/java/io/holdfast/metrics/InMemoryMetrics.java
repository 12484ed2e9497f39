package io.holdfast.metrics;

import io.holdfast.Finding;
import io.holdfast.LossReason;
import io.holdfast.MetricsCollector;
import io.holdfast.RecoveryStrategy;
import io.holdfast.metrics.MetricsSnapshot.Checks;
import io.holdfast.metrics.MetricsSnapshot.Timing;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Keeps the numbers in memory, for a console, a command line or a test; needs no library and may
 * serve several managers.
 *
 * <pre>{@code
 * InMemoryMetrics metrics = new InMemoryMetrics();
 * LockManager manager = LockManager.builder(url).metrics(metrics).build();
 * ...
 * System.out.println(metrics.snapshot());                          // a table
 * Duration p99 = metrics.snapshot().families().get("stock").waited().p99();
 * }</pre>
 *
 * <p>Numbers are per {@linkplain LockFamilies family} of keys, for the first thousand families.
 * Percentiles are exact to 1 %. Counting takes no lock; a family costs some ten kilobytes.
 */
public final class InMemoryMetrics implements MetricsCollector {
  /** How many families there may be unless another number is given. */
  public static final int MOST_FAMILIES = 1000;

  private final LockFamilies<FamilyCounts> families;
  private final List<MetricsCollector.Source> managers = new CopyOnWriteArrayList<>();
  private final EnumCounts<Finding.Check> checksOk = new EnumCounts<>(Finding.Check.class);
  private final EnumCounts<Finding.Check> checksNotOk = new EnumCounts<>(Finding.Check.class);
  private final EnumCounts<Finding.Kind> storeFindings = new EnumCounts<>(Finding.Kind.class);
  private final Histogram ping = new Histogram();
  private final LongAdder messagesLost = new LongAdder();

  /** With families {@linkplain LockFamilies#BY_PREFIX by prefix}. */
  public InMemoryMetrics() {
    this(LockFamilies.BY_PREFIX, MOST_FAMILIES);
  }

  /**
   * With families of one's own.
   *
   * @param family the name of the family of a key
   * @param mostFamilies how many there may be; the rest is {@link LockFamilies#OTHER}
   */
  public InMemoryMetrics(Function<? super String, String> family, int mostFamilies) {
    this.families = new LockFamilies<>(family, mostFamilies, name -> new FamilyCounts());
  }

  /** What was counted so far. */
  public MetricsSnapshot snapshot() {
    Map<String, MetricsSnapshot.Family> byName = families.all(FamilyCounts::snapshot);
    Map<Finding.Check, Checks> checks = new EnumMap<>(Finding.Check.class);
    for (Finding.Check check : Finding.Check.values()) {
      long ok = checksOk.of(check);
      long notOk = checksNotOk.of(check);
      if (ok + notOk > 0) {
        checks.put(check, new Checks(ok, notOk));
      }
    }
    return new MetricsSnapshot(
        byName,
        managers.stream().map(MetricsCollector.Source::health).toList(),
        checks,
        storeFindings.positive(),
        timing(ping),
        messagesLost.sum());
  }

  static Timing timing(Histogram histogram) {
    Histogram.Counts counts = histogram.counts();
    return new Timing(
        counts.count(),
        counts.mean(),
        counts.percentile(0.5),
        counts.percentile(0.9),
        counts.percentile(0.99),
        counts.max());
  }

  @Override
  public MetricsCollector started(MetricsCollector.Source manager) {
    managers.add(manager);
    return this;
  }

  @Override
  public void stopped(MetricsCollector.Source manager) {
    managers.remove(manager);
  }

  @Override
  public void acquired(String key, Duration waited) {
    families.of(key).waited.record(waited);
  }

  @Override
  public void gaveUp(String key, Duration waited) {
    families.of(key).gaveUp.increment();
  }

  @Override
  public void failed(String key, Duration waited, Throwable fault) {
    families.of(key).failed.increment();
  }

  @Override
  public void passed(String key, Duration waited) {
    families.of(key).passed.record(waited);
  }

  @Override
  public void requestFailed(String key, Duration took, Throwable fault) {
    families.of(key).requestsFailed.increment();
  }

  @Override
  public void released(String key, Duration held) {
    families.of(key).held.record(held);
  }

  @Override
  public void renewed(String key) {
    families.of(key).renewed.increment();
  }

  @Override
  public void renewalFailed(String key) {
    families.of(key).renewalsFailed.increment();
  }

  @Override
  public void degraded(String key) {
    families.of(key).degraded.increment();
  }

  @Override
  public void releaseFailed(String key) {
    families.of(key).releasesFailed.increment();
  }

  @Override
  public void lost(String key, LossReason reason, Duration held) {
    families.of(key).lost.add(reason);
  }

  @Override
  public void checked(Finding.Check check, boolean ok) {
    (ok ? checksOk : checksNotOk).add(check);
  }

  @Override
  public void found(Finding finding) {
    if (finding.key().isEmpty()) {
      storeFindings.add(finding.kind());
    } else {
      families.of(finding.key()).findings.add(finding.kind());
    }
  }

  @Override
  public void alerted(Finding finding) {
    if (!finding.key().isEmpty()) {
      families.of(finding.key()).alerts.increment();
    }
  }

  @Override
  public void recovery(String key, RecoveryStrategy.Action action, boolean worked) {
    FamilyCounts family = families.of(key);
    (worked ? family.recovered : family.recoveriesFailed).increment();
  }

  @Override
  public void storeAnswered(Duration latency) {
    ping.record(latency);
  }

  @Override
  public void messagesLost() {
    messagesLost.increment();
  }

  @Override
  public String toString() {
    return snapshot().toString();
  }
}
