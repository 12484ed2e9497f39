package io.holdfast.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.holdfast.testservers.RedisMonitor.Command;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RespClientTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  private final String key = "resp-" + UUID.randomUUID();
  private RespClient client;

  @BeforeEach
  void connect() {
    client = RedisServer.shared().client();
  }

  @AfterEach
  void cleanUp() {
    client.call("DEL", key);
    client.close();
  }

  @Test
  void repliesBecomeJavaObjects() {
    assertThat(client.call("SET", key, "1")).isEqualTo("OK");
    assertThat(client.call("INCR", key)).isEqualTo(2L);
    assertThat(client.call("GET", key)).isEqualTo("2");
    assertThat(client.call("GET", key + "-absent")).isNull();
    assertThat(client.call("MGET", key, key + "-absent")).isEqualTo(Arrays.asList("2", null));
    assertThat(client.call("EVAL", "return {1, {'two', {}}, false}", "0"))
        .isEqualTo(Arrays.asList(1L, List.of("two", List.of()), null));
    assertThat(client.call("BLPOP", key + "-absent", "0.01")).isNull();
  }

  @Test
  void anyTextPassesUnchanged() {
    String text = "line\r\nline \"quoted\" \\ ä € 😀 \0";
    client.call("SET", key, text);
    assertThat(client.call("GET", key)).isEqualTo(text);
    client.call("SET", key, "");
    assertThat(client.call("GET", key)).isEqualTo("");
  }

  @Test
  void anErrorIsThrownAndTheConnectionStaysGood() {
    client.call("SET", key, "text");
    assertThatThrownBy(() -> client.call("LPUSH", key, "x"))
        .isInstanceOfSatisfying(
            RespException.class, e -> assertThat(e.code()).isEqualTo("WRONGTYPE"));
    assertThatThrownBy(() -> client.list("GET", key)).hasMessageContaining("not a list");
    assertThat(client.call("PING")).isEqualTo("PONG");
  }

  @Test
  void anErrorInsideAListIsAnElement() {
    client.call("SET", key, "text");
    client.call("MULTI");
    client.call("LPUSH", key, "x");
    client.call("GET", key);
    List<?> replies = client.list("EXEC");
    assertThat(replies.get(0)).isInstanceOf(RespException.class);
    assertThat(replies.get(1)).isEqualTo("text");
  }

  @Test
  void aServerThatIsGoneIsAnIoException() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient orphan = redis.client()) {
      redis.kill();
      assertThatThrownBy(() -> orphan.call("PING")).isInstanceOf(UncheckedIOException.class);
    }
  }

  @Test
  void aUrlThatIsNotForRedisIsRejected() {
    assertThatThrownBy(() -> RespClient.connect("http://127.0.0.1:1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RespClient.connect("redis:nonsense"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMonitorSeesExactlyTheCommandsExecuted() {
    try (RedisServer quiet = RedisServer.builder().start();
        RespClient quietClient = quiet.client();
        RedisMonitor monitor = quietClient.monitor()) {
      assertThat(monitor.commands()).isEmpty();
      quietClient.call("set", "key", "value");
      quietClient.call("GET", "key");
      assertThat(monitor.commands()).extracting(Command::name).containsExactly("SET", "GET");
      assertThat(monitor.commands())
          .extracting(Command::words)
          .containsExactly(List.of("set", "key", "value"), List.of("GET", "key"));
      monitor.clear();
      assertThat(monitor.commands()).isEmpty();
      for (int i = 0; i < 1000; i++) {
        quietClient.call("INCR", "counter");
      }
      assertThat(monitor.commands()).hasSize(1000);
    }
  }

  @Test
  void aMonitorTellsCommandsOfScriptsFromThoseOfClients() {
    try (RedisServer quiet = RedisServer.builder().start();
        RespClient quietClient = quiet.client();
        RedisMonitor monitor = quietClient.monitor()) {
      quietClient.call("EVAL", "return redis.call('incr', KEYS[1])", "1", "key");
      assertThat(monitor.commands())
          .extracting(Command::name, Command::fromScript)
          .containsExactly(tuple("EVAL", false), tuple("INCR", true));
    }
  }

  @Test
  void aMonitorGivesArgumentsAsTheyWere() {
    String text = "a \"b\" \\ \\x41 \r\n\t\b\u0007 [0 lua] ä😀";
    try (RedisMonitor monitor = client.monitor()) {
      client.call("SET", key, text);
      assertThat(monitor.commands())
          .filteredOn(command -> command.words().contains(key))
          .singleElement()
          .satisfies(
              command -> {
                assertThat(command.words()).containsExactly("SET", key, text);
                assertThat(command.source()).startsWith("127.0.0.1:");
                assertThat(command.database()).isZero();
              });
    }
  }

  @Test
  void aMonitorWhoseServerDiedSaysSo() {
    try (RedisServer redis = RedisServer.builder().start();
        RespClient doomed = redis.client();
        RedisMonitor monitor = doomed.monitor()) {
      redis.kill();
      assertThatThrownBy(monitor::commands)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("gone");
    }
  }

  @Test
  void aSubscriptionCollectsMessagesInOrder() {
    try (RedisSubscription channel = client.subscribe(key)) {
      for (int i = 0; i < 100; i++) {
        assertThat(client.call("PUBLISH", key, "message " + i)).isEqualTo(1L);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(channel.next(SOON)).isEqualTo("message " + i);
      }
      assertThat(channel.messages()).hasSize(100).startsWith("message 0").endsWith("message 99");
    }
  }

  @Test
  void aSubscriptionWaitsInVainForAMessageNobodySends() {
    try (RedisSubscription channel = client.subscribe(key)) {
      assertThatThrownBy(() -> channel.next(Duration.ofMillis(50)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(key);
    }
  }
}
