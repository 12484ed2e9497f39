package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script that runs the torture before a landing, in a copy of the repository's skeleton. The
 * command is a stand-in that ends as a test wants, once for each list of engines.
 */
@Timeout(240)
class TortureScriptTest {
  private static final Path SCRIPT = Path.of("..", ".ci", "torture");
  private static final String REDIS_OPEN = "redis: fault 7 of the plan, server-kill: too slow";

  @TempDir private Path repo;

  private record Outcome(int exitCode, String output, List<String> runs) {}

  @Test
  void nothingRunsAgainWhenEverythingWasTried() throws Exception {
    Outcome outcome = run("");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.runs()).hasSize(2);
  }

  @Test
  void anEngineThatCouldNotBeTriedRunsOnceMoreAloneWithTheSameSeed() throws Exception {
    Outcome outcome = run("[ $name != second ] || open");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.runs()).hasSize(3);
    assertThat(outcome.runs().get(2)).isEqualTo("redis 4711 alone");
    assertThat(outcome.output()).doesNotContain("NOT TRIED");
  }

  @Test
  void whatCannotBeTriedEvenAloneIsNamedAndDoesNotFail() throws Exception {
    Outcome outcome = run("[ $name = first ] || open");
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.runs()).hasSize(3);
    assertThat(outcome.output()).contains("NOT TRIED, not even alone", REDIS_OPEN);
  }

  @Test
  void aBrokenPromiseFailsInWhicheverRun() throws Exception {
    for (String ending :
        List.of(
            "[ $name != first ] || exit 1",
            "[ $name != second ] || exit 1",
            "case $name in second) open ;; again) exit 1 ;; esac")) {
      Outcome outcome = run(ending);
      assertThat(outcome.exitCode()).as(ending).isEqualTo(1);
      assertThat(outcome.output()).contains("a promise was broken");
    }
  }

  @Test
  void aRunThatEndsInAnotherWayFails() throws Exception {
    assertThat(run("[ $name != first ] || exit 137").exitCode()).isEqualTo(137);
  }

  @Test
  void whatThisMachineCannotDoIsNamedButNotRepeated() throws Exception {
    String clock = "redis: server-clock: never on this machine: libfaketime is not installed";
    Outcome outcome =
        run("[ $name != second ] || { echo '%s' >$untried; exit 3; }".formatted(clock));
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.runs()).hasSize(2);
    assertThat(outcome.output()).contains("NOT TRIED, not even alone", clock);
  }

  @Test
  void whatAnEngineThatDidNotRunAgainLeftOpenIsNamedAtTheEndToo() throws Exception {
    String clock = "sqlite: server-clock: never on this machine: libfaketime is not installed";
    Outcome outcome =
        run(
            "case $name in first) echo '%s' >$untried; exit 3 ;; second) open ;; esac"
                .formatted(clock));
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.runs()).hasSize(3);
    assertThat(outcome.output()).contains("NOT TRIED, not even alone", clock);
    assertThat(outcome.output()).doesNotContain(REDIS_OPEN);
  }

  @Test
  void anEngineThatCannotBeTriedAtAllFailsAfterTheSecondAttempt() throws Exception {
    Outcome outcome = run("[ $name = first ] || { open; exit 4; }");
    assertThat(outcome.exitCode()).isEqualTo(4);
    assertThat(outcome.runs()).hasSize(3);
    assertThat(outcome.output()).contains("could not be tried at all", REDIS_OPEN);
    assertThat(run("[ $name != second ] || { open; exit 4; }").exitCode()).isZero();
  }

  @Test
  void aRunThatDoesNotNameWhatItDidNotTryFails() throws Exception {
    for (String ending : List.of("exit 3", "case $name in first) open ;; again) exit 3 ;; esac")) {
      Outcome outcome = run(ending);
      assertThat(outcome.exitCode()).as(ending).isEqualTo(1);
      assertThat(outcome.output()).contains("names nothing");
    }
  }

  @Test
  void bothRunsEndWithAllTheirProcessesWhenTheScriptIsStopped() throws Exception {
    Process script = start("sleep 600 & { echo $$; echo $!; } >pids.$name; wait");
    List<ProcessHandle> processes = new ArrayList<>();
    for (String name : List.of("first", "second")) {
      Path pids = repo.resolve("pids." + name);
      while (!Files.exists(pids) || Files.readAllLines(pids).size() < 2) {
        assertThat(script.isAlive()).isTrue();
        Thread.sleep(10);
      }
      for (String pid : Files.readAllLines(pids)) {
        processes.add(ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
      }
    }
    script.destroy();
    assertThat(script.waitFor()).isEqualTo(143);
    for (ProcessHandle process : processes) {
      process.onExit().get(60, TimeUnit.SECONDS);
    }
  }

  private Outcome run(String ending) throws Exception {
    Path log = repo.resolve("runs");
    int exitCode = start(ending).waitFor();
    Files.deleteIfExists(repo.resolve("began.first"));
    Files.deleteIfExists(repo.resolve("began.second"));
    return new Outcome(
        exitCode,
        Files.readString(repo.resolve("output"), StandardCharsets.UTF_8),
        Files.readAllLines(log));
  }

  private Process start(String ending) throws Exception {
    Path log = repo.resolve("runs");
    Files.deleteIfExists(log);
    Files.createDirectories(repo.resolve(".ci"));
    Files.write(repo.resolve(".ci/torture"), Files.readAllBytes(SCRIPT));
    executable(
        repo.resolve("holdfast"),
        """
        [ "$2" != --help ] || exit 0
        engines=$3 seed=$5 untried=$9
        name=$(basename "$untried" .untried)
        : >"$untried"
        open() { echo '%s' >"$untried"; exit_code=3; }
        exit_code=0
        # The two of the first pass overlap until both have begun; a third finds nobody.
        mkdir running.$name
        if [ $name = again ]; then
          echo "$engines $seed $(ls -d running.* | wc -l | sed 's/^ *1$/alone/')" >>runs
        else
          until [ -e began.first ] && [ -e began.second ]; do : >began.$name; done
          echo "$engines $seed" >>runs
        fi
        finish() { rmdir running.$name; }
        trap finish EXIT
        %s
        exit $exit_code
        """
            .formatted(REDIS_OPEN, ending));
    Path output = repo.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder("bash", ".ci/torture")
            .directory(repo.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("HOLDFAST_TORTURE_SEED", "4711");
    return builder.start();
  }

  private static void executable(Path file, String script) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
