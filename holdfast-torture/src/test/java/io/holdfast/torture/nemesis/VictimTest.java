package io.holdfast.torture.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RedisServer;
import io.holdfast.torture.client.ClientMain;
import io.holdfast.torture.client.ClientSettings;
import io.holdfast.torture.client.Primitive;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which ends of a client process count as a failure of the client. */
@Timeout(600)
class VictimTest {
  @TempDir private Path folder;

  @Test
  void aKillIsNoFailure() throws Exception {
    try (Victim victim = started()) {
      victim.kill();
      assertThat(victim.diedByItself()).isFalse();
      assertThat(victim.failures()).isEmpty();
    }
  }

  @Test
  void aKillDoesNotHideThatTheProcessHadEndedBefore() throws Exception {
    try (Victim victim = started()) {
      endFromOutside(victim);
      victim.kill();
      victim.start();
      assertThat(victim.awaitReady()).isTrue();
      assertThat(victim.failures())
          .singleElement()
          .asString()
          .startsWith("client c1: it ended by itself");
    }
  }

  @Test
  void aCommandThatNobodyReadsIsAFailureAndNoException() throws Exception {
    try (Victim victim = started()) {
      endFromOutside(victim);
      assertThat(victim.diedByItself()).isTrue();
      assertThat(victim.send("stop") && victim.await(ClientMain.STOPPED, Duration.ofMinutes(2)))
          .isFalse();
      assertThat(victim.failures()).as("the first one explains the others").hasSize(1);
    }
  }

  private Victim started() throws InterruptedException {
    Victim victim = new Victim(1, List.of(), Optional.empty(), this::settings);
    victim.start();
    assertThat(victim.awaitReady()).isTrue();
    return victim;
  }

  private ClientSettings settings(Victim victim) {
    String url = RedisServer.shared().url();
    return new ClientSettings(
        victim.name(),
        victim.stream(),
        url,
        url,
        5,
        1,
        0,
        Duration.ofSeconds(1),
        folder.resolve(victim.name()),
        "",
        Set.of(Primitive.LOCK));
  }

  private static void endFromOutside(Victim victim) throws Exception {
    ProcessHandle process = victim.process();
    assertThat(process.destroyForcibly()).isTrue();
    process.onExit().get();
  }
}
