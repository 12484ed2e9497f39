package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A process of which only the command line is known. */
@Isolated
@Timeout(600)
class ServerProcessTest {
  private final Path directory = ServerProcess.newDirectory("server-process-test");
  private final Path child = directory.resolve("child");
  private final ServerProcess server =
      ServerProcess.of(
          "server",
          List.of("/bin/sh", "-c", "sleep 100 & echo $! > made; mv made child; echo up; wait"),
          directory,
          Map.of());

  @AfterEach
  void end() {
    server.close();
  }

  @Test
  void killingItKillsItsChildrenAndItCanBeStartedAgain() throws IOException {
    server.start(() -> Files.exists(child));
    ProcessHandle first = child();
    server.kill();
    assertThat(server.isAlive()).isFalse();
    assertThat(first.isAlive()).isFalse();
    Files.delete(child);
    server.start(() -> Files.exists(child));
    assertThat(server.isAlive()).isTrue();
    assertThat(child().pid()).isNotEqualTo(first.pid());
  }

  @Test
  void pausingItPausesItsChildren() throws IOException {
    server.start(() -> Files.exists(child));
    server.pause();
    await().until(() -> state(child()) == 'T');
    server.resume();
    await().until(() -> state(child()) == 'S');
  }

  @Test
  void oneThatRunsCanBeStartedOnceMore() throws IOException {
    server.start(() -> Files.exists(child));
    Path logs = ServerProcess.newDirectory("server-process-test");
    try (ServerProcess twin = ServerProcess.like("twin", child(), List.of(), logs, Map.of())) {
      twin.start(() -> true);
      assertThat(twin.isAlive()).isTrue();
      assertThat(child().isAlive()).isTrue();
    }
  }

  @Test
  void whatItSaysIsToldWhenItDoesNotStart() {
    ServerProcess broken =
        ServerProcess.of(
            "broken", List.of("/bin/sh", "-c", "echo no such data; exit 3"), directory, Map.of());
    assertThatThrownBy(() -> broken.start(() -> false)).hasMessageContaining("no such data");
  }

  private ProcessHandle child() throws IOException {
    return ProcessHandle.of(Long.parseLong(Files.readString(child).strip())).orElseThrow();
  }

  private static char state(ProcessHandle process) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }
}
