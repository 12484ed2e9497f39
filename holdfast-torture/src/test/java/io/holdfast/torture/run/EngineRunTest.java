package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.check.CheckSettings;
import io.holdfast.torture.check.Verdict;
import io.holdfast.torture.client.ClientMain;
import io.holdfast.torture.client.Primitive;
import io.holdfast.torture.report.Progress;
import io.holdfast.torture.store.EngineName;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A run in which clients do not do their part, against a real Redis that does. */
@Timeout(600)
class EngineRunTest {
  @TempDir private Path out;

  @Test
  void clientsThatCannotStartAreAViolation() throws InterruptedException {
    EngineResult result = run(settings("NO_SUCH_ENGINE", Duration.ofSeconds(1)));
    assertThat(failures(result))
        .anyMatch(each -> each.contains("client c1: it ended before READY"));
    assertThat(result.untried()).isEmpty();
    assertThat(new Conclusion(List.of(result)).exitCode()).isEqualTo(Conclusion.VIOLATED);
  }

  @Test
  @EnabledOnOs(OS.LINUX) // has /proc
  void aClientThatEndsByItselfIsAViolation() throws Exception {
    CompletableFuture<EngineResult> run = inBackground(Duration.ofSeconds(20));
    endOneClientThatWorks();
    assertThat(failures(run.get()))
        .singleElement()
        .asString()
        .contains("client c1: it ended by itself");
  }

  private CompletableFuture<EngineResult> inBackground(Duration time) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return run(settings("", time));
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Its history has the first operation, so it works. */
  private void endOneClientThatWorks() throws Exception {
    Path history = out.resolve("redis/c1.history");
    while (!Files.exists(history) || Files.readAllLines(history).size() < 10) {
      Thread.sleep(20);
    }
    ProcessHandle client =
        ProcessHandle.current().descendants().filter(this::isClient).findFirst().orElseThrow();
    assertThat(client.destroyForcibly()).isTrue();
  }

  /** Its command line, too long for {@link ProcessHandle.Info}, names its history. */
  private boolean isClient(ProcessHandle process) {
    try {
      String line = Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
      return line.contains(ClientMain.class.getName()) && line.contains(out.toString());
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  private TortureSettings settings(String broken, Duration time) {
    return new TortureSettings(
        List.of(EngineName.REDIS),
        time,
        TortureSettings.QUIET.compareTo(time) < 0 ? TortureSettings.QUIET : Duration.ZERO,
        1,
        1,
        0,
        5,
        Set.of(),
        broken,
        out,
        CheckSettings.of(TortureSettings.LEASE),
        EnumSet.of(Primitive.LOCK),
        verdicts -> false);
  }

  private static List<String> failures(EngineResult result) {
    return result.verdicts().stream()
        .filter(each -> each.check().equals(Shortfalls.RULE))
        .filter(each -> each.status() == Verdict.Status.VIOLATED)
        .flatMap(each -> each.violations().stream())
        .map(Object::toString)
        .toList();
  }

  private static EngineResult run(TortureSettings settings) throws InterruptedException {
    Progress nowhere = new Progress(new PrintWriter(Writer.nullWriter()), false);
    return new EngineRun(settings, EngineName.REDIS, nowhere).run();
  }
}
