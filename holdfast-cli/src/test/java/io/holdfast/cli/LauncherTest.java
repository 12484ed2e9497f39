package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher script, in a copy of the repository's skeleton. The build and the command are
 * stand-ins that say how they were called.
 */
@Timeout(300)
class LauncherTest {
  private static final Path SCRIPT = Path.of("..", "holdfast").toAbsolutePath().normalize();

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it
  Path temp;

  private record Outcome(int exitCode, String output) {}

  @Test
  void buildsOnceAndPassesArgumentsAndExitCodeThrough() throws Exception {
    Path launcher = skeleton("touch holdfast-cli/target/quick/holdfast-cli.jar");

    Outcome first = run(java("17.0.1"), launcher.toString(), "demo", "two words");
    Outcome second = run(java("17.0.1"), launcher.toString(), "demo");

    assertThat(first.output())
        .contains("Building Holdfast (first run")
        .contains("[demo][two words]");
    assertThat(first.exitCode()).isEqualTo(7);
    assertThat(second.output()).doesNotContain("Building").contains("[demo]");
  }

  @Test
  void writesAnArchiveOfClassesOncePerBuildAndStartsWithIt() throws Exception {
    Path launcher = skeleton("touch holdfast-cli/target/quick/holdfast-cli.jar");
    Path archive = temp.resolve("repo/holdfast-cli/target/quick/classes-java17.jsa");

    Outcome first = run(java("17.0.1"), launcher.toString(), "demo");
    String written = Files.readString(archive);
    Files.writeString(archive, "by the first run");
    Outcome second = run(java("17.0.1"), launcher.toString(), "demo");

    assertThat(written).contains("io.holdfast.cli.Training");
    for (Outcome outcome : List.of(first, second)) {
      assertThat(outcome.output()).contains("<-XX:SharedArchiveFile=", archive + ">", "[demo]");
      assertThat(outcome.exitCode()).isEqualTo(7);
    }
    assertThat(archive).content().as("not written again").isEqualTo("by the first run");
  }

  @Test
  void buildsAgainWhenASourceIsNewerOrGone() throws Exception {
    Path launcher = skeleton("touch holdfast-cli/target/quick/holdfast-cli.jar");
    run(java("17.0.1"), launcher.toString());
    Path source = temp.resolve("repo/holdfast-core/src/main/A.java");

    Files.writeString(source, "changed");
    assertThat(run(java("17.0.1"), launcher.toString()).output()).contains("sources have changed");
    Files.delete(source);
    assertThat(run(java("17.0.1"), launcher.toString()).output()).contains("sources have changed");
    assertThat(run(java("17.0.1"), launcher.toString()).output()).doesNotContain("Building");
  }

  @Test
  void findsTheRepositoryThroughSymbolicLinks() throws Exception {
    skeleton("touch holdfast-cli/target/quick/holdfast-cli.jar");
    Path bin = Files.createDirectories(temp.resolve("some bin"));
    Files.createSymbolicLink(bin.resolve("inner"), Path.of("../repo/holdfast"));
    Files.createSymbolicLink(bin.resolve("holdfast"), Path.of("inner"));

    assertThat(run(java("17.0.1"), bin.resolve("holdfast").toString(), "x").output())
        .contains("[x]");
  }

  @Test
  void showsWhatTheBuildSaidWhenItFails() throws Exception {
    Path launcher = skeleton("echo 'cannot find symbol'; exit 1");

    Outcome outcome = run(java("17.0.1"), launcher.toString(), "demo");

    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("cannot find symbol").contains("the build failed");
    assertThat(outcome.output()).doesNotContain("[demo]");
  }

  @Test
  void wantsJava17() throws Exception {
    Path launcher = skeleton("touch holdfast-cli/target/quick/holdfast-cli.jar");

    for (String old : List.of("1.8.0_402", "11.0.2")) {
      Outcome outcome = run(java(old), launcher.toString());
      assertThat(outcome.exitCode()).isEqualTo(1);
      assertThat(outcome.output()).contains("needs Java 17 or newer").doesNotContain("Building");
    }
    for (String good : List.of("17", "21-ea", "25.0.1")) {
      assertThat(run(java(good), launcher.toString()).exitCode()).as(good).isEqualTo(7);
    }
    assertThat(run(temp.resolve("nowhere"), launcher.toString()).output())
        .contains("there is no bin/java in it");
  }

  /** A repository in which {@code mvnw} does what is given. */
  private Path skeleton(String build) throws IOException {
    Path repo = temp.resolve("repo");
    for (String folder : List.of(".mvn", "holdfast-core/src/main", "holdfast-cli/src/main")) {
      Files.createDirectories(repo.resolve(folder));
    }
    for (String file :
        List.of("pom.xml", "holdfast-cli/pom.xml", "holdfast-core/src/main/A.java")) {
      Files.writeString(repo.resolve(file), "");
    }
    executable(repo.resolve("mvnw"), "mkdir -p holdfast-cli/target/quick\n" + build);
    return Files.copy(SCRIPT, repo.resolve("holdfast"));
  }

  /** A Java home whose java claims to be of a version, and otherwise prints its arguments. */
  private Path java(String version) throws IOException {
    Path home = temp.resolve("java-" + version);
    Files.createDirectories(home.resolve("bin"));
    executable(
        home.resolve("bin/java"),
        """
        if [ "$1" = -version ]; then
          echo 'Picked up JAVA_TOOL_OPTIONS: -Dsome=thing' >&2
          echo 'openjdk version "%s" 2026-01-01' >&2
          exit
        fi
        case $1 in
          -XX:ArchiveClassesAtExit=*) echo "$@" >"${1#*=}"; exit 3 ;; # as it may be after all is done
        esac
        while [ "$1" != -jar ]; do printf '<%%s>' "$1"; shift; done
        shift 2
        printf '[%%s]' "$@"
        exit 7
        """
            .formatted(version));
    return home;
  }

  private static void executable(Path file, String script) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private Outcome run(Path javaHome, String... command) throws Exception {
    List<String> words = new ArrayList<>(List.of("/bin/sh"));
    words.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(words).directory(temp.toFile()).redirectErrorStream(true);
    builder.environment().putAll(Map.of("JAVA_HOME", javaHome.toString()));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }
}
