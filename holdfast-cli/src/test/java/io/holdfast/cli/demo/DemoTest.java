package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.CommandRun;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class DemoTest {
  @AfterEach
  void noWorkerIsLeft() {
    assertThat(DemoProcesses.workersOf(ProcessHandle.current())).isEmpty();
  }

  @Test
  void oversellsWithoutTheLockAndNotWithIt() {
    CommandRun run = CommandRun.of("demo", "--workers", "3", "--stock", "60");

    assertThat(run.exitCode()).as(run.toString()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.row("round"))
        .containsExactly("stock", "sold", "oversold", "locks/s", "wait p50", "wait p99", "time");
    List<String> without = run.row("without a lock");
    assertThat(number(without.get(1))).isGreaterThan(60);
    assertThat(number(without.get(2))).isEqualTo(number(without.get(1)) - 60);
    assertThat(without.subList(3, 6)).containsOnly("-");
    List<String> with = run.row("with the lock");
    assertThat(with.subList(0, 3)).containsExactly("60", "60", "0");
    assertThat(number(with.get(3))).isPositive();
    assertThat(run.out()).contains("With the lock each of the 60 items was sold exactly once.");
  }

  @Test
  void saysSoWhenNothingWasOversoldWithoutTheLockEither() {
    CommandRun run = CommandRun.of("demo", "--workers", "1", "--threads", "1", "--stock", "5");

    assertThat(run.exitCode()).as(run.toString()).isZero();
    assertThat(run.row("without a lock").subList(0, 3)).containsExactly("5", "5", "0");
    assertThat(run.out())
        .contains("Without a lock each of the 5 items was sold exactly once. That was luck");
  }

  @Test
  void leavesAServerThatWasGivenAsItWas() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient client = redis.client()) {
      client.call("SET", "demo:stock:other", "precious");

      CommandRun run =
          CommandRun.of("demo", "--url", redis.url(), "--workers", "2", "--stock", "30");

      assertThat(run.exitCode()).as(run.toString()).isZero();
      assertThat(run.out()).contains(redis.host() + ":" + redis.port());
      assertThat(client.list("KEYS", "*").stream().map(String::valueOf))
          .containsExactlyInAnyOrder("demo:stock:other", "holdfast:fence");
      assertThat(client.call("GET", "demo:stock:other")).isEqualTo("precious");
    }
  }

  @Test
  void doesNotTouchAKeyThatIsThereAlready() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient client = redis.client()) {
      client.call("SET", "orders", "precious");

      CommandRun run = CommandRun.of("demo", "--url", redis.url(), "--key", "orders");

      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("there is something under orders").contains("--key");
      assertThat(client.list("KEYS", "*")).hasSize(1);
      assertThat(client.call("GET", "orders")).isEqualTo("precious");
    }
  }

  @Test
  void aPasswordGetsThroughToTheWorkersAndNotIntoTheOutput() {
    try (RedisServer redis = RedisServer.builder().requirePass("s3cret").start()) {
      CommandRun run =
          CommandRun.of("demo", "--url", redis.url("", "s3cret"), "--workers=1", "--stock=3");

      assertThat(run.exitCode()).as(run.toString()).isZero();
      assertThat(run.out()).doesNotContain("s3cret");
    }
  }

  @Test
  void aWrongPasswordIsRefused() {
    try (RedisServer redis = RedisServer.builder().requirePass("s3cret").start()) {
      CommandRun run = CommandRun.of("demo", "--url", redis.url("", "wrong"));

      assertThat(run.exitCode()).isEqualTo(2);
      assertThat(run.err()).contains("WRONGPASS").doesNotContain("\tat ");
    }
  }

  private static long number(String cell) {
    return Long.parseLong(cell.replace(",", ""));
  }
}
