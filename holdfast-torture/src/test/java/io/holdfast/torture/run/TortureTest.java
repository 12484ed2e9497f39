package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.broken.BrokenEngine;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.store.EngineName;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
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
@Timeout(180)
class TortureTest {
  @TempDir private Path out;

  @Test
  void nothingIsViolatedUnderFaults() throws InterruptedException {
    EngineResult result = run(14, 11, "", EnumSet.allOf(FaultKind.class));
    assertThat(result.violated()).as("see %s", result.history()).isEmpty();
    assertThat(result.problems()).isEmpty();
    assertThat(result.operations()).isGreaterThan(100);
    assertThat(result.faults()).hasSizeGreaterThan(2);
  }

  @ParameterizedTest
  @EnumSource(BrokenEngine.class)
  void aBrokenEngineIsCaught(BrokenEngine broken) throws InterruptedException {
    EngineResult result = run(10, 5, broken.name(), whatBites(broken));
    assertThat(result.violated())
        .as(() -> result.verdicts().stream().map(Verdict::toString).toList().toString())
        .isNotEmpty();
  }

  private static Set<FaultKind> whatBites(BrokenEngine broken) {
    return switch (broken) {
      case FORGETS_TOKENS -> EnumSet.of(FaultKind.CUT);
      default -> EnumSet.of(FaultKind.CLIENT_PAUSE, FaultKind.CUT);
    };
  }

  private EngineResult run(int seconds, long seed, String broken, Set<FaultKind> faults)
      throws InterruptedException {
    TortureSettings settings =
        new TortureSettings(
            List.of(EngineName.REDIS),
            Duration.ofSeconds(seconds),
            2,
            3,
            seed,
            faults,
            broken,
            out);
    Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
    return new EngineRun(settings, EngineName.REDIS, nowhere).run();
  }
}
