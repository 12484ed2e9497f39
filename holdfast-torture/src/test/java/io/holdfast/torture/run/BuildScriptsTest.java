package io.holdfast.torture.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the build counts, and which JDK it takes: a step that runs nothing does not pass. */
@Timeout(240)
class BuildScriptsTest {
  private static final Path SUMMARY = Path.of("..", ".mvn", "TestSummary.java");
  private static final Path WIDTH = Path.of("..", ".mvn", "LineWidth.java");
  private static final Path JDK25 = Path.of("..", ".ci", "jdk25");

  @TempDir private Path root;
  private final Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  private record Outcome(int exitCode, String output) {}

  @Test
  void reportsOfEarlierBuildsDoNotCount() throws Exception {
    report("one", "Old", 5, 1, started.minus(Duration.ofDays(2)));
    report("one", "New", 7, 0, Instant.now());
    assertThat(total()).isEqualTo(new Outcome(0, "7 passed, 0 failed, 0 skipped\n"));
  }

  @Test
  void aFailedTestFailsTheTotal() throws Exception {
    report("one", "New", 7, 1, Instant.now());
    Outcome outcome = total();
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("6 passed, 1 failed");
  }

  @Test
  void aStepThatRunsNothingFails() throws Exception {
    report("one", "New", 7, 0, Instant.now());
    report("two", "Old", 7, 0, started.minus(Duration.ofDays(2)));
    assertThat(total("one").exitCode()).isZero();
    Outcome outcome = total("one", "two");
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("no test of two ran");
  }

  @Test
  void aModuleThatNoLongerFindsItsTestsFails() throws Exception {
    Path folder = root.resolve("one");
    Files.createDirectories(folder.resolve("src/test/java"));
    Outcome outcome = summary(folder.toString(), started.toString(), "${test}", "", "false");
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("no test of one ran");
    assertThat(summary(folder.toString(), started.toString(), "SomeTest", "").exitCode())
        .as("a filter may leave out a whole module")
        .isZero();
    report("one", "New", 7, 0, Instant.now());
    assertThat(summary(folder.toString(), started.toString(), "", "").output()).contains("7 tests");
  }

  @Test
  void aModuleWithoutTestsSaysNothing() throws Exception {
    Path folder = Files.createDirectories(root.resolve("one"));
    assertThat(summary(folder.toString(), started.toString(), "")).isEqualTo(new Outcome(0, ""));
  }

  @Test
  void theJdkThatIsNamedMustBeNewEnough() throws Exception {
    Outcome outcome = run(Map.of("HOLDFAST_JDK25", jdk("old-25", "17.0.15")), jdk25());
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("no JDK 25 or newer (found: 17)");
    assertThat(run(Map.of("HOLDFAST_JDK25", root + "/nowhere"), jdk25()).exitCode()).isEqualTo(1);
    String newer = jdk("newer", "26-ea");
    assertThat(run(Map.of("HOLDFAST_JDK25", newer), jdk25()))
        .isEqualTo(new Outcome(0, newer + "\n"));
  }

  @Test
  void aJdkIsFoundByWhatItIsAndNotByItsName() throws Exception {
    String old = jdk("jdk-17.25", "17.0.25");
    String newer = jdk("temurin", "25.0.1");
    assertThat(run(Map.of(), jdk25(old, root + "/nothing", newer)))
        .isEqualTo(new Outcome(0, newer + "\n"));
    assertThat(run(Map.of(), jdk25(old))).isEqualTo(new Outcome(0, ""));
  }

  @Test
  void aLineThatIsTooWideIsNamed() throws Exception {
    String words = "word ".repeat(25).strip();
    text("docs/page.md", "short\n" + words + "\n");
    text(".ci/run", "# " + words);
    String expected =
        """
        .ci/run:1: 126 columns
        docs/page.md:2: 124 columns
        LineWidth: 2 lines are wider than 120 columns
        """;
    assertThat(java(WIDTH, root.toString())).isEqualTo(new Outcome(1, expected));
  }

  @Test
  void linesThatCannotBeBrokenMayBeWide() throws Exception {
    String words = "word ".repeat(25).strip();
    text("docs/page.md", "| " + words + " |\n- [" + words + "](other.md)\n" + "x".repeat(130));
    text("src/Page.java", "// https://example.com/" + "x".repeat(130));
    text("target/page.md", words);
    text(".git/page.md", words);
    text("results.csv", words);
    assertThat(java(WIDTH, root.toString())).isEqualTo(new Outcome(0, ""));
  }

  private void text(String name, String content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private String jdk(String name, String version) throws IOException {
    Path folder = root.resolve(name);
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (String command : List.of("java", "javac")) {
      Path file = bin.resolve(command);
      Files.writeString(file, "#!/bin/sh\necho 'openjdk version \"%s\"' >&2\n".formatted(version));
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    return folder.toString();
  }

  private static List<String> jdk25(String... folders) {
    List<String> command = new ArrayList<>(List.of("bash", JDK25.toString()));
    command.addAll(List.of(folders));
    return command;
  }

  private void report(String module, String test, int tests, int failed, Instant written)
      throws IOException {
    Path folder = Files.createDirectories(root.resolve(module).resolve("target/surefire-reports"));
    Path file = folder.resolve("TEST-" + test + ".xml");
    Files.writeString(
        file,
        "<testsuite name=\"%s\" tests=\"%d\" errors=\"0\" skipped=\"0\" failures=\"%d\">"
            .formatted(test, tests, failed));
    Files.setLastModifiedTime(file, FileTime.from(written));
  }

  private Outcome total(String... modules) throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("--total", root.toString(), started.toString()));
    arguments.addAll(List.of(modules));
    return summary(arguments.toArray(String[]::new));
  }

  private Outcome summary(String... arguments) throws Exception {
    return java(SUMMARY, arguments);
  }

  private Outcome java(Path program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return run(Map.of(), command);
  }

  private Outcome run(Map<String, String> environment, List<String> command) throws Exception {
    Path output = root.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().remove("HOLDFAST_JDK25");
    builder.environment().putAll(environment);
    int exitCode = builder.start().waitFor();
    return new Outcome(exitCode, Files.readString(output));
  }
}
