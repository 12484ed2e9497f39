package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
  /** Of 900 that are drawn by chance from 22,768, some twenty are the same as one before. */
  @Test
  void noPortIsGivenToTwoServersThatDoNotListenYet() throws IOException {
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 900; i++) {
      assertThat(given.add(LoopbackPorts.free())).as("port of server %s is new", i).isTrue();
    }
  }

  @Test
  void noPortIsGivenToServersOfTwoJvmsUntilTheFirstJvmEnds() {
    try (ChildJvm child = ChildJvm.start(PortMain.class)) {
      int port = Integer.parseInt(child.readLine(Duration.ofMinutes(2)));
      assertThat(PortClaims.claim(port)).as("claimed by the child").isFalse();
      child.kill();
      assertThat(PortClaims.claim(port)).as("claimed by nobody").isTrue();
      PortClaims.release(port);
    }
  }
}
