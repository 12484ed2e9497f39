package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.store.EngineName;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The torture itself, against a real Redis: what is right passes, and what is broken is caught. The
 * long runs, and the other engines, are {@code ./holdfast torture}.
 */
@Timeout(180)
class TortureTest {
  private static final CheckSettings PATIENT = CheckSettings.of(TortureSettings.LEASE);

  /** Small mistakes show sooner; that a busy machine looks like one does no harm there. */
  private static final CheckSettings IMPATIENT =
      PATIENT.patience(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(400));

  private static final long SEED = 5;
  private static final int MOST_RUNS = 5;

  @TempDir private Path out;

  @Test
  void nothingIsViolatedUnderFaults() throws InterruptedException {
    EngineResult result =
        run(14, TortureSettings.QUIET, "", EnumSet.allOf(FaultKind.class), PATIENT, SEED);
    assertThat(result.violated()).as("see %s", result.history()).isEmpty();
    assertThat(result.problems()).isEmpty();
    assertThat(result.operations()).isGreaterThan(100);
    assertThat(result.faults()).hasSizeGreaterThan(2);
  }

  /** What bites, and which rule must notice, or one of two where it is a matter of milliseconds. */
  private enum Case {
    RELEASES_WITHOUT_ASKING_WHOSE_IT_IS(List.of("one holder", "nothing taken away")),
    RELEASES_BY_DELETING(List.of("one holder", "nothing taken away")),
    GIVES_LESS_TIME_THAN_IT_SAYS(List.of("one holder")),
    FORGETS_TOKENS(List.of("tokens grow")),
    RENEWS_FOR_ANYBODY(List.of("holders learn"), FaultKind.WIPE),
    TAKES_BACK_WITHOUT_A_WORD(List.of("one holder", "nothing taken away")),
    FORGETS_WHO_WAITS(List.of("nobody forgotten")),
    TAKES_SOME_OF_SEVERAL(List.of("one holder")),
    GRANTS_ONE_TOO_MANY(List.of("one holder")),
    LETS_WRITERS_IN_BESIDE_READERS(List.of("one holder")),
    COUNTS_TWICE(List.of("linearizable"));

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final List<String> rules;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Set<FaultKind> faults;

    Case(List<String> rules, FaultKind... faults) {
      this.rules = rules;
      this.faults = Set.of(faults);
    }
  }

  @Test
  void everyBrokenEngineHasACase() {
    assertThat(Case.values())
        .extracting(Case::name)
        .containsExactlyInAnyOrder(
            Arrays.stream(BrokenEngine.values()).map(BrokenEngine::name).toArray(String[]::new));
  }

  /**
   * What is drawn may by chance not meet what is broken, above all with few permits and writers.
   */
  @ParameterizedTest
  @EnumSource(Case.class)
  void aBrokenEngineIsCaught(Case broken) throws InterruptedException {
    EngineResult result = null;
    for (long seed = SEED; seed < SEED + MOST_RUNS && !isCaught(result, broken); seed++) {
      result = run(6, Duration.ZERO, broken.name(), broken.faults, IMPATIENT, seed);
    }
    assertCaught(Objects.requireNonNull(result), broken);
  }

  private static boolean isCaught(@Nullable EngineResult result, Case broken) {
    return result != null
        && result.violated().stream().map(Verdict::check).anyMatch(broken.rules::contains);
  }

  private static void assertCaught(EngineResult result, Case broken) {
    assertThat(result.violated())
        .as(() -> result.verdicts().stream().map(Verdict::toString).toList().toString())
        .extracting(Verdict::check)
        .containsAnyElementsOf(broken.rules);
  }

  private EngineResult run(
      int seconds,
      Duration quiet,
      String broken,
      Set<FaultKind> faults,
      CheckSettings patience,
      long seed)
      throws InterruptedException {
    TortureSettings settings =
        new TortureSettings(
            List.of(EngineName.REDIS),
            Duration.ofSeconds(seconds),
            quiet,
            2,
            4,
            broken.isEmpty() ? TortureSettings.USUAL_LONG_HOLDS : 20,
            seed,
            faults,
            broken,
            out,
            patience);
    Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
    return new EngineRun(settings, EngineName.REDIS, nowhere).run();
  }
}
