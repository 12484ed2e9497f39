package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.Holdfast;
import io.holdfast.testkit.ChildJvm;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A demo in a JVM of its own, which is ended in the middle of the round with the lock. */
@Timeout(600)
class DemoStoppedTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  /** The round with the lock takes some seconds, and much longer once it is seen and refilled. */
  private static final String STOCK = "2000";

  private static final int REFILL = 1_000_000;

  private static final String STOCK_KEY = "demo:stock";

  private final RedisServer redis = RedisServer.builder().start();
  private final RespClient client = redis.client();
  private final ChildJvm demo =
      ChildJvm.start(
          Holdfast.class, "demo", "--url", redis.url(), "--workers", "2", "--stock", STOCK);
  private List<ProcessHandle> workers = List.of();

  @BeforeEach
  void waitForTheLock() {
    await()
        .atMost(Duration.ofMinutes(4))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> client.call("EXISTS", "demo:stock:lock"), found -> Long.valueOf(1).equals(found));
    refill();
    workers = DemoProcesses.workersOf(ProcessHandle.of(demo.pid()).orElseThrow());
    assertThat(workers).hasSize(2);
  }

  /** More than can be sold before the test is over, however slowly it goes on. */
  private void refill() {
    await().atMost(SOON).pollInterval(Duration.ofMillis(20)).until(this::isFullOrRefilled);
  }

  /** A seller that has looked before writes the old number once more. */
  private boolean isFullOrRefilled() {
    long left = Long.parseLong(String.valueOf(client.call("GET", STOCK_KEY)));
    if (left < REFILL / 2) {
      client.call("INCRBY", STOCK_KEY, String.valueOf(REFILL));
    }
    return left >= REFILL / 2;
  }

  @AfterEach
  void close() {
    demo.close();
    client.close();
    redis.close();
  }

  @Test
  void toldToStopItEndsItsWorkersAndRemovesItsKeys() {
    ProcessHandle.of(demo.pid()).orElseThrow().destroy(); // SIGTERM; Ctrl-C runs the same hook

    assertThat(demo.waitFor(SOON)).isEqualTo(143);

    assertThat(demo.stderr()).contains("stopped and cleaned up").doesNotContain("\tat ");
    assertThat(workers).noneMatch(ProcessHandle::isAlive);
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void killedItLeavesNoWorkersAndOnlyKeysThatExpire() {
    demo.kill();

    await().atMost(SOON).until(() -> workers.stream().noneMatch(ProcessHandle::isAlive));

    assertThat(keys())
        .filteredOn(key -> !key.equals("holdfast:fence"))
        .isNotEmpty()
        .allSatisfy(key -> assertThat((Long) client.call("PTTL", key)).as(key).isPositive());
  }

  @Test
  void aWorkerThatDiesFailsTheDemoAndTheOthersGoToo() {
    workers.get(0).destroyForcibly();

    assertThat(demo.waitFor(SOON)).isEqualTo(1);

    assertThat(demo.stderr())
        .contains("worker process " + workers.get(0).pid() + " ended unexpectedly")
        .doesNotContain("\tat ");
    assertThat(workers).noneMatch(ProcessHandle::isAlive);
    assertThat(keys()).containsExactly("holdfast:fence");
  }

  @Test
  void aServerThatDiesFailsTheDemo() {
    redis.kill();

    assertThat(demo.waitFor(SOON)).isEqualTo(1);

    assertThat(demo.stderr()).contains("holdfast demo: ").doesNotContain("\tat ");
    assertThat(workers).noneMatch(ProcessHandle::isAlive);
  }

  private List<String> keys() {
    return client.list("KEYS", "*").stream().map(String::valueOf).toList();
  }
}
