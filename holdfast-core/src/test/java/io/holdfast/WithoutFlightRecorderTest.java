package io.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A Java run time without Flight Recorder, as {@code jlink} makes them: locks work all the same.
 * And one in which it is not used, which should not cost anything.
 */
@Timeout(600)
@Isolated
class WithoutFlightRecorderTest {
  @Test
  void locksWork() throws Exception {
    assertThat(outputOf("--limit-modules", "java.base,java.management"))
        .isEqualTo("no recorder, locked, lost\n");
  }

  @Test
  void theRecorderIsNotSetUpWhileNobodyRecords() throws Exception {
    String said = outputOf("-Xlog:class+load");

    assertThat(said)
        .contains("\nrecorder, locked, lost\n")
        .contains("io.holdfast.internal.observe.EventBus ");
    assertThat(said).doesNotContain("io.holdfast.internal.observe.FlightEvents ");
  }

  private static String outputOf(String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(child.getInputStream().readAllBytes(), UTF_8);
      assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
      return said;
    } finally {
      child.destroyForcibly();
    }
  }

  /** Takes, releases and loses a lock. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      boolean recorder = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      StringBuilder said = new StringBuilder(recorder ? "recorder" : "no recorder");
      try (LockManager manager = LockManager.create("memory:")) {
        DistributedLock lock = manager.getLock("k");
        lock.lock();
        lock.unlock();
        said.append(", locked");
        lock.lock();
        lock.forceUnlock();
        said.append(lock.isHeldByCurrentThread() ? ", held" : ", lost");
      }
      System.out.print(said.append('\n'));
    }
  }
}
