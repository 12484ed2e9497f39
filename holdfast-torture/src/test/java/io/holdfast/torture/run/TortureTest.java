package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.Primitive;
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
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The torture itself, against a real Redis: what is right passes, and what is broken is caught. The
 * long runs, and the other engines, are {@code ./holdfast torture}.
 */
@Timeout(600)
class TortureTest {
  private static final CheckSettings PATIENT = CheckSettings.of(TortureSettings.LEASE);

  /** Small mistakes show sooner; that a busy machine looks like one does no harm there. */
  private static final CheckSettings IMPATIENT =
      PATIENT.patience(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(400));

  private static final long SEED = 5;

  @TempDir private Path out;

  /**
   * What a starved machine could not try is tried once more, for longer. That nothing is violated
   * counts each time; what could not be tried even then is printed, as {@code .ci/torture} does.
   */
  @Test
  void nothingIsViolatedUnderFaults() throws InterruptedException {
    EngineResult result = run(underFaults(Duration.ofSeconds(14)));
    assertThat(result.violated()).as("see %s", result.history()).isEmpty();
    if (!hasTriedAll(result)) {
      result = run(underFaults(Duration.ofSeconds(42)));
      assertThat(result.violated()).as("see %s", result.history()).isEmpty();
    }
    assertThat(result.operations()).isPositive();
    if (!hasTriedAll(result)) {
      System.out.printf(
          "NOT TRIED: %s; faults: %s; pairs of grants in order: %d%n",
          result.untried(), result.faults(), result.fairPairs());
    }
  }

  private static boolean hasTriedAll(EngineResult result) {
    return result.untried().isEmpty() && result.faults().size() > 2 && result.fairPairs() > 0;
  }

  private TortureSettings underFaults(Duration time) {
    return new TortureSettings(
        List.of(EngineName.REDIS),
        time,
        TortureSettings.QUIET,
        3,
        4,
        TortureSettings.USUAL_LONG_HOLDS,
        SEED,
        EnumSet.allOf(FaultKind.class),
        "",
        out,
        PATIENT,
        EnumSet.allOf(Primitive.class),
        verdicts -> false);
  }

  /**
   * What bites, and which rule must notice, or one of two where it is a matter of milliseconds.
   * Clients work with what is broken and nothing else, so that a short run is enough.
   */
  private enum Case {
    RELEASES_WITHOUT_ASKING_WHOSE_IT_IS(
        List.of("one holder", "nothing taken away"), Set.of(Primitive.LOCK)),
    RELEASES_BY_DELETING(List.of("one holder", "nothing taken away"), Set.of(Primitive.LOCK)),
    GIVES_LESS_TIME_THAN_IT_SAYS(List.of("one holder"), Set.of(Primitive.LOCK)),
    FORGETS_TOKENS(List.of("tokens grow"), Set.of(Primitive.LOCK)),
    RENEWS_FOR_ANYBODY(List.of("holders learn"), Set.of(Primitive.LOCK), FaultKind.WIPE),
    TAKES_BACK_WITHOUT_A_WORD(List.of("one holder", "nothing taken away"), Set.of(Primitive.LOCK)),
    FORGETS_WHO_WAITS(List.of("nobody forgotten"), Set.of(Primitive.LOCK)),
    TAKES_SOME_OF_SEVERAL(List.of("one holder", "nothing taken away"), Set.of(Primitive.MULTI)),
    GRANTS_ONE_TOO_MANY(List.of("one holder"), Set.of(Primitive.SEMAPHORE)),
    LETS_WRITERS_IN_BESIDE_READERS(List.of("one holder"), Set.of(Primitive.READ, Primitive.WRITE)),
    HANDS_TO_WHO_CAME_LAST(List.of("fair order"), Set.of(Primitive.TURNS)),
    COUNTS_TWICE(List.of("linearizable"), Set.of(Primitive.LATCH));

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final List<String> rules;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Set<FaultKind> faults;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Set<Primitive> primitives;

    Case(List<String> rules, Set<Primitive> primitives, FaultKind... faults) {
      this.rules = rules;
      this.primitives = primitives;
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

  /** One run with one seed; it ends as soon as the mistake was noticed. */
  @ParameterizedTest
  @EnumSource(Case.class)
  void aBrokenEngineIsCaught(Case broken) throws InterruptedException {
    TortureSettings settings =
        new TortureSettings(
            List.of(EngineName.REDIS),
            Duration.ofSeconds(150), // most take one
            Duration.ZERO,
            broken.primitives.contains(Primitive.TURNS) ? 3 : 2,
            4,
            20,
            SEED,
            broken.faults,
            broken.name(),
            out,
            IMPATIENT,
            broken.primitives,
            verdicts -> isCaught(verdicts, broken));
    EngineResult result = run(settings);
    assertThat(isCaught(result.verdicts(), broken))
        .as(() -> result.verdicts().stream().map(Verdict::toString).toList().toString())
        .isTrue();
  }

  private static boolean isCaught(List<Verdict> verdicts, Case broken) {
    return verdicts.stream()
        .filter(each -> each.status() == Verdict.Status.VIOLATED)
        .map(Verdict::check)
        .anyMatch(broken.rules::contains);
  }

  private static EngineResult run(TortureSettings settings) throws InterruptedException {
    Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
    return new EngineRun(settings, EngineName.REDIS, nowhere).run();
  }
}
