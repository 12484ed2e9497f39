package io.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DeadlockException;
import io.holdfast.Finding;
import io.holdfast.LockHealth;
import io.holdfast.LossReason;
import io.holdfast.MetricsCollector;
import io.holdfast.RecoveryStrategy.Action;
import io.holdfast.StoreException;
import io.holdfast.StoreUnavailableException;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table in {@code docs/metrics.md} lists exactly the existing meters. */
class MetersInTheDocsTest {
  private static final Path PAGE = Path.of("..", "docs", "metrics.md");
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** A row: the type and the tags of a meter, and the other quoted words. */
  private record Row(String type, Set<String> tags, Set<String> values) {}

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void theTableListsAllMetersOfARegistryAfterEveryKindOfEvent() throws IOException {
    letEverythingHappen(new MicrometerMetrics(registry).started(new Manager()));
    Map<String, Row> documented = table();

    assertThat(meters()).isNotEmpty().containsOnlyKeys(documented.keySet());
    meters()
        .forEach(
            (name, row) -> {
              Row promised = Objects.requireNonNull(documented.get(name));
              assertThat(row.type()).as(name).isEqualTo(promised.type());
              assertThat(row.tags()).as(name).isEqualTo(promised.tags());
              boolean values =
                  !name.equals("holdfast.watchdog.healthy"); // the values are those of the checks
              boolean alerts =
                  !name.equals("holdfast.watchdog.alerts"); // the values are those of the findings
              if (values && alerts) {
                assertThat(row.values()).as(name).isEqualTo(promised.values());
              }
            });
  }

  @Test
  void meterNamesAreDottedAndLowerCase() {
    letEverythingHappen(new MicrometerMetrics(registry).started(new Manager()));

    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .allMatch(name -> name.matches("holdfast(\\.[a-z]+)+"));
    assertThat(registry.getMeters())
        .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
  }

  @Test
  void queriesUseTheNamesThatPrometheusGets() throws IOException {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MicrometerMetrics metrics =
        MicrometerMetrics.builder(prometheus).percentileHistogram(true).build();
    letEverythingHappen(metrics.started(new Manager()));
    Set<String> asked =
        Pattern.compile("holdfast_[a-z_]+")
            .matcher(Files.readString(PAGE))
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());

    String scraped = prometheus.scrape();
    assertThat(asked)
        .hasSizeGreaterThan(5)
        .allSatisfy(name -> assertThat(scraped).containsPattern("(?m)^" + name + "\\{"));
  }

  private static void letEverythingHappen(MetricsCollector collector) {
    Duration time = Duration.ofMillis(1);
    collector.acquired("k", time);
    collector.passed("k", time);
    collector.gaveUp("k", time);
    collector.failed("k", time, new StoreUnavailableException("", null));
    collector.failed("k", time, new StoreException("", null));
    collector.failed("k", time, new DeadlockException("lock", "k", ""));
    collector.failed("k", time, new IllegalStateException());
    collector.released("k", time);
    collector.renewed("k");
    collector.renewalFailed("k");
    collector.releaseFailed("k");
    collector.degraded("k");
    for (LossReason reason : LossReason.values()) {
      collector.lost("k", reason, time);
    }
    for (Finding.Check check : Finding.Check.values()) {
      collector.checked(check, true);
      collector.checked(check, false);
    }
    for (Finding.Kind kind : Finding.Kind.values()) {
      Finding finding = new Finding(kind, "k", "", 0, "", Instant.EPOCH, "");
      collector.found(finding);
      collector.alerted(finding);
    }
    for (Action action : Action.values()) {
      collector.recovery("k", action, true);
      collector.recovery("k", action, false);
    }
    collector.storeAnswered(time);
    collector.messagesLost();
  }

  private Map<String, Row> meters() {
    Map<String, Row> rows = new TreeMap<>();
    for (Meter meter : registry.getMeters()) {
      Row row =
          rows.computeIfAbsent(
              meter.getId().getName(),
              name ->
                  new Row(
                      meter.getId().getType().name().toLowerCase(Locale.ROOT),
                      new TreeSet<>(),
                      new TreeSet<>()));
      for (Tag tag : meter.getId().getTags()) {
        row.tags().add(tag.getKey());
        if (!Set.of("engine", "family").contains(tag.getKey())) {
          row.values().add(tag.getValue());
        }
      }
    }
    return rows;
  }

  private static Map<String, Row> table() throws IOException {
    Map<String, Row> rows = new TreeMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| `holdfast.")) {
        List<String> cells = List.of(line.split("\\|", -1));
        Row row = new Row(cells.get(2).strip(), quoted(cells.get(3)), quoted(cells.get(4)));
        rows.put(quoted(cells.get(1)).iterator().next(), row);
      }
    }
    return rows;
  }

  private static Set<String> quoted(String cell) {
    return QUOTED
        .matcher(cell)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static final class Manager implements MetricsCollector.Source {
    @Override
    public String engine() {
      return "memory";
    }

    @Override
    public LockHealth health() {
      return new LockHealth("memory", true, null, 0, 0, 0, 0, 0, 0, List.of());
    }
  }
}
