package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A JVM takes along what it started, however it ends, even what is paused and so sees no signal.
 */
@Isolated
class LeftoversTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  @Test
  void anExitEndsProcessesAndRemovesFiles() {
    try (ChildJvm family = ChildJvm.start(FamilyMain.class)) {
      List<Integer> ports = ports(family.awaitLine("ports ", SOON));
      Path directory = Path.of(family.awaitLine("directory ", SOON).substring(10));
      assertThat(directory).exists();
      family.send("exit");
      assertThat(family.waitFor(SOON)).isZero();
      assertThat(ports).noneMatch(LeftoversTest::isListening);
      assertThat(Files.exists(directory)).isFalse();
    }
  }

  @Test
  void aKillDoesTheSame() {
    try (ChildJvm family = ChildJvm.start(FamilyMain.class)) {
      List<Integer> ports = ports(family.awaitLine("ports ", SOON));
      Path directory = Path.of(family.awaitLine("directory ", SOON).substring(10));
      assertThat(ports).hasSize(2).allMatch(LeftoversTest::isListening);
      family.kill();
      await("orphans to die").until(() -> ports.stream().noneMatch(LeftoversTest::isListening));
      await("files to go").until(() -> !Files.exists(directory));
    }
  }

  private static List<Integer> ports(String line) {
    return List.of(line.split(" ", -1)).stream().skip(1).map(Integer::valueOf).toList();
  }

  /** A paused process cannot answer, but its port is still taken. */
  private static boolean isListening(int port) {
    try {
      LoopbackPorts.listen(port).close();
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
