package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.nemesis.FaultKind;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.store.EngineName;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run amounts to: a broken promise always counts, and what was not tried is named. */
class ConclusionTest {
  private static final Untried FAULT =
      new Untried("fault 7 of the plan, server-kill", "not up\n  in 60 s");
  private static final Verdict BROKEN =
      new Verdict("one holder", Verdict.Status.VIOLATED, 5, List.of(), 1, "");

  @TempDir private Path out;
  private final StringWriter screen = new StringWriter();
  private final Progress progress = new Progress(new PrintWriter(screen), false);

  @Test
  void aRunThatTriedEverythingIsGoodAndLeavesNothingToTry() throws IOException {
    assertThat(conclude(result(EngineName.REDIS, List.of()))).isZero();
    assertThat(untried()).isEmpty();
  }

  @Test
  void whatWasNotTriedIsNamedOnTheScreenAndInTheFile() throws IOException {
    int exitCode =
        conclude(result(EngineName.REDIS, List.of()), result(EngineName.SQLITE, List.of(), FAULT));
    assertThat(exitCode).isEqualTo(3);
    assertThat(untried())
        .containsExactly("sqlite: fault 7 of the plan, server-kill: not up | in 60 s");
    assertThat(screen.toString()).contains("NOT TRIED sqlite: fault 7 of the plan, server-kill");
  }

  @Test
  void aBrokenPromiseCountsWhateverElseWasNotTried() throws IOException {
    assertThat(conclude(result(EngineName.REDIS, List.of(BROKEN), FAULT))).isEqualTo(1);
    assertThat(screen.toString()).contains("VIOLATED", "NOT TRIED redis");
    assertThat(
            conclude(
                result(EngineName.H2, List.of(), FAULT), result(EngineName.REDIS, List.of(BROKEN))))
        .isEqualTo(1);
  }

  @Test
  void serversThatDoNotStartAreNotTriedAndNoVerdict() throws Exception {
    TortureSettings settings =
        new TortureSettings(
            List.of(EngineName.REDIS),
            Duration.ofSeconds(1),
            Duration.ZERO,
            1,
            1,
            0,
            5,
            Set.of(FaultKind.CUT),
            "",
            out,
            CheckSettings.of(TortureSettings.LEASE),
            EnumSet.of(Primitive.LOCK),
            verdicts -> false);
    EngineRun run =
        new EngineRun(
            settings,
            EngineName.REDIS,
            () -> {
              throw new IllegalStateException("not up in 60 s");
            },
            progress);
    assertThat(conclude(run.run())).as("nothing was tried at all").isEqualTo(4);
    assertThat(untried())
        .singleElement()
        .asString()
        .startsWith("redis: starting servers: ")
        .endsWith("not up in 60 s");
  }

  @Test
  void whatIsNotDecidedOrNotPossibleHereIsOpenToo() throws IOException {
    Verdict undecided =
        new Verdict("linearizable", Verdict.Status.NOT_DECIDED, 5, List.of(), 0, "latch: deleted");
    EngineResult result =
        result(
            EngineName.REDIS, Map.of(FaultKind.SERVER_CLOCK, "no libfaketime"), List.of(undecided));
    assertThat(conclude(result)).isEqualTo(3);
    assertThat(untried())
        .containsExactly(
            "redis: server-clock: no libfaketime",
            "redis: linearizable: not decided: latch: deleted");
    assertThat(screen.toString()).contains("NOT TRIED redis: server-clock");
  }

  private int conclude(EngineResult... results) throws IOException {
    Conclusion conclusion = new Conclusion(List.of(results));
    conclusion.tell(progress, 5, out.resolve("untried"));
    return conclusion.exitCode();
  }

  private List<String> untried() throws IOException {
    return Files.readAllLines(out.resolve("untried"));
  }

  private static EngineResult result(EngineName engine, List<Verdict> verdicts, Untried... open) {
    return result(engine, Map.of(), verdicts, open);
  }

  private static EngineResult result(
      EngineName engine, Map<FaultKind, String> notRun, List<Verdict> verdicts, Untried... open) {
    return new EngineResult(
        engine,
        "1.0",
        Duration.ZERO,
        1,
        List.of(),
        Set.of(),
        notRun,
        0,
        verdicts,
        Path.of("nowhere"),
        List.of(open));
  }
}
