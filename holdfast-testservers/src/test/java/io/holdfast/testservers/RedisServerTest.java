package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RedisServerTest {
  private static final Duration BLINK = Duration.ofMillis(200);

  @Test
  void aStartedServerAnswersAndListensOnLoopbackOnly() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient client = redis.client()) {
      assertThat(client.call("PING")).isEqualTo("PONG");
      assertThat(redis.url()).isEqualTo("redis://127.0.0.1:" + redis.port());
      assertThat(client.call("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
      assertThat(client.call("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
      assertThat(client.call("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "no"));
    }
  }

  @Test
  void aBuiltServerHasNoPortBeforeItsFirstStart() {
    try (RedisServer redis = RedisServer.builder().build()) {
      assertThat(redis.isRunning()).isFalse();
      assertThatThrownBy(redis::port).isInstanceOf(IllegalStateException.class);
      redis.stop();
      assertThat(redis.start().isRunning()).isTrue();
      assertThatThrownBy(redis::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("runs already");
    }
  }

  @Test
  void restartKeepsThePortAndWithoutPersistenceForgetsTheData() {
    try (RedisServer redis = RedisServer.builder().start()) {
      int port = redis.port();
      set(redis, "key", "value");
      redis.restart();
      assertThat(redis.port()).isEqualTo(port);
      assertThat(get(redis, "key")).isNull();
    }
  }

  @Test
  void aPersistentServerKeepsItsDataOverRestartAndKill() {
    try (RedisServer redis = RedisServer.builder().persistent().start()) {
      set(redis, "first", "1");
      redis.restart();
      assertThat(get(redis, "first")).isEqualTo("1");
      set(redis, "second", "2");
      redis.kill();
      redis.start();
      assertThat(get(redis, "first")).isEqualTo("1");
      assertThat(get(redis, "second")).isEqualTo("2");
    }
  }

  @Test
  void aStoppedOrKilledServerRefusesConnections() {
    try (RedisServer redis = RedisServer.builder().start()) {
      redis.stop();
      assertRefused(redis);
      assertThat(redis.log()).contains("Received SIGTERM", "ready to exit");
      redis.start();
      redis.kill();
      assertRefused(redis);
      assertThatThrownBy(redis::pause)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("down");
    }
  }

  @Test
  void aPausedServerAnswersOnlyWhenResumed() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient impatient = redis.client().timeout(BLINK)) {
      redis.pause();
      assertThat(redis.isRunning()).isTrue();
      assertThatThrownBy(() -> impatient.call("SET", "key", "value"))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(SocketTimeoutException.class);
      redis.resume();
      assertThat(get(redis, "key")).isEqualTo("value");
    }
  }

  @Test
  void aPausedServerCanBeStoppedAndKilled() {
    try (RedisServer redis = RedisServer.builder().start()) {
      redis.pause();
      redis.stop();
      assertThat(redis.log()).contains("ready to exit");
      redis.start();
      redis.pause();
      redis.kill();
      assertThat(redis.isRunning()).isFalse();
    }
  }

  @Test
  void aRequiredPasswordIsRequired() {
    try (RedisServer redis = RedisServer.builder().requirePass("p@ss word").start();
        RespClient stranger = RespClient.connect(redis.url());
        RespClient known = redis.client()) {
      assertThatThrownBy(() -> stranger.call("PING")).hasMessageStartingWith("NOAUTH");
      assertThat(known.call("PING")).isEqualTo("PONG");
      redis.restart();
      assertThat(get(redis, "key")).isNull();
    }
  }

  @Test
  void anAclUserMayDoWhatItsRuleSays() {
    try (RedisServer redis =
            RedisServer.builder()
                .aclUser("default off")
                .aclUser("reader on >secret ~* &* +get")
                .start();
        RespClient reader = RespClient.connect(redis.url("reader", "secret"))) {
      assertThat(reader.call("GET", "key")).isNull();
      assertThatThrownBy(() -> reader.call("SET", "key", "value")).hasMessageStartingWith("NOPERM");
      assertThatThrownBy(() -> RespClient.connect(redis.url("reader", "wrong")))
          .hasMessageStartingWith("WRONGPASS");
    }
  }

  @Test
  void extraArgumentsOverruleTheRest() {
    try (RedisServer redis =
            RedisServer.builder().args("--maxmemory", "12345678", "--databases", "3").start();
        RespClient client = redis.client()) {
      assertThat(client.call("CONFIG", "GET", "maxmemory"))
          .isEqualTo(List.of("maxmemory", "12345678"));
      assertThatThrownBy(() -> client.call("SELECT", "3")).hasMessageContaining("out of range");
    }
  }

  @Test
  void aServerThatCannotStartSaysWhy() {
    assertThatThrownBy(() -> RedisServer.builder().args("--no-such-option", "1").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("exit code 1")
        .hasMessageContaining("no-such-option");
  }

  @Test
  void theFirstStartTriesAnotherPortWhenOneIsTaken() throws IOException {
    try (ServerSocket taken = LoopbackPorts.listen()) {
      int free = LoopbackPorts.free();
      Queue<Integer> ports = new ArrayDeque<>(List.of(taken.getLocalPort(), free));
      try (RedisProcess redis =
          new RedisProcess(List.of("bind 127.0.0.1"), List.of(), Map.of(), false, ports::remove)) {
        redis.start();
        assertThat(redis.port()).isEqualTo(free);
      }
    }
  }

  @Test
  void aLaterStartFailsWhenThePortIsTaken() throws IOException {
    try (RedisServer redis = RedisServer.builder().start()) {
      redis.stop();
      try (ServerSocket thief = LoopbackPorts.listen(redis.port())) {
        assertThatThrownBy(redis::start)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("port " + thief.getLocalPort() + " was taken");
      }
      redis.start();
      assertThat(get(redis, "key")).isNull();
    }
  }

  @Test
  void closeEndsTheServerAndRemovesItsFiles() {
    RedisServer redis = RedisServer.builder().persistent().start();
    Path directory;
    try (RespClient client = redis.client()) {
      directory = Path.of(String.valueOf(client.list("CONFIG", "GET", "dir").get(1)));
    }
    assertThat(directory).exists();
    redis.close();
    redis.close();
    assertThat(Files.exists(directory)).isFalse();
    assertRefused(redis);
    assertThatThrownBy(redis::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void theSharedServerIsOneAndCannotBeHarmed() {
    RedisServer shared = RedisServer.shared();
    shared.close();
    try (RespClient client = shared.client()) {
      assertThat(client.call("PING")).isEqualTo("PONG");
    }
    assertThat(RedisServer.shared()).isSameAs(shared);
    for (Runnable harm : harms(shared)) {
      assertThatThrownBy(harm::run).isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void anExternalServerIsUsedAndNotTouched() {
    try (RedisServer real = RedisServer.builder().requirePass("secret").start()) {
      RedisServer external = RedisServer.external(real.url("", "secret") + "/2");
      assertThat(external.port()).isEqualTo(real.port());
      assertThat(external.host()).isEqualTo("127.0.0.1");
      assertThat(external.isRunning()).isTrue();
      for (Runnable harm : harms(external)) {
        assertThatThrownBy(harm::run)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("HOLDFAST_TEST_REDIS_URL");
      }
      external.close();
      try (RespClient client = external.client()) {
        assertThat(String.valueOf(client.call("CLIENT", "INFO"))).contains(" db=2 ");
      }
    }
  }

  private static List<Runnable> harms(RedisServer server) {
    return List.of(
        server::start, server::stop, server::kill, server::restart, server::pause, server::resume);
  }

  private static void set(RedisServer redis, String key, String value) {
    try (RespClient client = redis.client()) {
      assertThat(client.call("SET", key, value)).isEqualTo("OK");
    }
  }

  private static @Nullable Object get(RedisServer redis, String key) {
    try (RespClient client = redis.client()) {
      return client.call("GET", key);
    }
  }

  private static void assertRefused(RedisServer redis) {
    assertThatThrownBy(redis::client)
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(ConnectException.class);
  }
}
