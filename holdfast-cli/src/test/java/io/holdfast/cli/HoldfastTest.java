package io.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HoldfastTest {
  @Test
  void helpNamesTheCommands() {
    CommandRun run = CommandRun.of("--help");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("Usage: holdfast").contains("demo");
  }

  @Test
  void versionComesFromTheBuild() {
    CommandRun run = CommandRun.of("--version");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().strip()).matches("holdfast \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  }

  @Test
  void withoutACommandItSaysWhichThereAre() {
    CommandRun run = CommandRun.of();
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("Usage: holdfast").contains("demo");
  }

  @Test
  void anUnknownOptionIsNotTaken() {
    CommandRun run = CommandRun.of("demo", "--stok", "5");
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("holdfast demo: Unknown options: '--stok', '5'")
        .contains("Try 'holdfast demo --help'.");
  }
}
