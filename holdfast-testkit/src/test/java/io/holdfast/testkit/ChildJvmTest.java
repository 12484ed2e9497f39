package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class ChildJvmTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration BLINK = Duration.ofMillis(200);
  private static final int SIGKILLED = 128 + 9;

  @Test
  void aChildAnswersLineByLine() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class, "first", "zweites ä€")) {
      assertThat(child.readLine(SOON)).isEqualTo("arguments [first, zweites ä€]");
      child.send("hello ä€😀");
      assertThat(child.readLine(SOON)).isEqualTo("echo hello ä€😀");
      child.send("one");
      child.send("two");
      assertThat(child.awaitLine("echo two", SOON)).isEqualTo("echo two");
      child.send("three");
      child.send("four");
      assertThat(child.awaitLine(line -> line.endsWith("four"), SOON)).isEqualTo("echo four");
      assertThat(child.pid()).isNotEqualTo(ProcessHandle.current().pid());
    }
  }

  @Test
  void propertiesAndEnvironmentReachTheChild() {
    try (ChildJvm child =
        ChildJvm.builder(EchoMain.class).jvmArgs("-Dshape=round").env("COLOUR", "red").start()) {
      child.send("settings");
      assertThat(child.awaitLine("settings", SOON)).isEqualTo("settings round red");
    }
  }

  @Test
  void aKilledChildIsDeadAtOnce() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class)) {
      child.readLine(SOON);
      assertThat(child.exitCode()).isEmpty();
      assertThat(child.isAlive()).isTrue();
      child.kill();
      assertThat(child.isAlive()).isFalse();
      assertThat(child.exitCode()).hasValue(SIGKILLED);
      assertThatThrownBy(child::pause)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has ended");
    }
  }

  @Test
  void aPausedChildAnswersOnlyWhenResumed() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class)) {
      child.readLine(SOON);
      child.pause();
      child.send("anybody there?");
      assertThatThrownBy(() -> child.readLine(BLINK))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("no output in PT0.2S");
      child.resume();
      assertThat(child.readLine(SOON)).isEqualTo("echo anybody there?");
    }
  }

  @Test
  void aPausedChildCanBeClosed() {
    ChildJvm child = ChildJvm.start(EchoMain.class);
    child.readLine(SOON);
    child.pause();
    child.close();
    child.close();
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void theExitCodeOfAChildIsReported() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class)) {
      assertThatThrownBy(() -> child.waitFor(Duration.ofMillis(1)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("still running");
      child.send("exit 7");
      assertThat(child.waitFor(SOON)).isEqualTo(7);
      assertThat(child.exitCode()).hasValue(7);
    }
  }

  @Test
  void aFailureCarriesWhatTheChildSaidLast() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class, "argument")) {
      child.send("fail");
      assertThatThrownBy(() -> child.awaitLine("never", SOON))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("EchoMain (pid " + child.pid() + ", ended with exit code 1)")
          .hasMessageContaining("expected a line starting with never")
          .hasMessageContaining("arguments [argument]")
          .hasMessageContaining("IllegalStateException: as requested");
      assertThat(child.stderr()).contains("as requested");
      assertThatThrownBy(() -> child.readLine(SOON)).hasMessageContaining("end of output");
    }
  }

  @Test
  void aLineToADeadChildFails() {
    try (ChildJvm child = ChildJvm.start(EchoMain.class)) {
      child.kill();
      assertThatThrownBy(() -> child.send("hello"))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("cannot send");
    }
  }

  @Test
  void aChildEndsWithItsParent() {
    try (ChildJvm reading = ChildJvm.start(EchoMain.class);
        ChildJvm busy = ChildJvm.start(BusyMain.class)) {
      reading.readLine(SOON);
      busy.readLine(SOON);
      reading.closeInput();
      busy.closeInput();
      assertThat(reading.waitFor(SOON)).isEqualTo(ChildJvm.PARENT_GONE);
      assertThat(busy.waitFor(SOON)).isEqualTo(ChildJvm.PARENT_GONE);
    }
  }
}
