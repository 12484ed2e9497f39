package io.holdfast.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.bench.lock.Subjects;
import io.holdfast.bench.measure.Timing;
import io.holdfast.bench.scenario.Scenario;
import io.holdfast.bench.scenario.Scenarios;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchSettingsTest {
  @Test
  void aLetterMeansAllScenariosWithItAndANumberOnlyOne() {
    assertThat(wanted("K")).containsExactly("K1", "K2", "K3", "K4", "K5", "K6", "K7");
    assertThat(wanted("k4", "A")).containsExactly("A", "K4");
    assertThat(wanted()).contains("A", "B", "C", "D", "E", "F", "G", "H", "I64", "J", "L");
  }

  @Test
  void subjectsAreChosenByAnyPartOfTheirNames() {
    BenchSettings settings = settings(List.of(), List.of("redisson", "floor"));
    assertThat(settings.wants(Subjects.REDISSON_FAIR)).isTrue();
    assertThat(settings.wants(Subjects.FLOOR)).isTrue();
    assertThat(settings.wants(Subjects.HOLDFAST)).isFalse();
  }

  @Test
  void anEqualsSignMeansTheWholeName() {
    BenchSettings settings = settings(List.of(), List.of("=Redisson"));
    assertThat(settings.wants(Subjects.REDISSON_PLAIN)).isTrue();
    assertThat(settings.wants(Subjects.REDISSON_FAIR)).isFalse();
  }

  private static List<String> wanted(String... only) {
    BenchSettings settings = settings(List.of(only), List.of());
    return Scenarios.all().stream().filter(settings::wants).map(Scenario::id).toList();
  }

  private static BenchSettings settings(List<String> only, List<String> who) {
    return new BenchSettings(
        Timing.SMOKE, Path.of("unused"), only, who, Duration.ZERO, false, null, null);
  }
}
