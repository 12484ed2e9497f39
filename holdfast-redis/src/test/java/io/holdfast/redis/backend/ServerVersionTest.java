package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated
class ServerVersionTest {
  @ParameterizedTest
  @CsvSource({
    "7.0.15,7",
    "6.2.0,6",
    "5.0.14,5",
    "10.1.2,10",
    "2.8,2",
    "8,8",
    "7.4-rc1,7",
    "255.255.255,255"
  })
  void theVersionAndItsFirstNumberAreFound(String version, int major) {
    String info = "# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\n";
    assertThat(ServerVersion.in(info)).isEqualTo(version);
    assertThat(ServerVersion.major(version)).isEqualTo(major);
  }

  @Test
  void aServerDerivedFromRedisReportsTheCompatibleVersion() {
    String info =
        "# Server\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\nredis_version:7.2.4\r\n";
    assertThat(ServerVersion.in(info)).isEqualTo("7.2.4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# Server\r\n",
        "redis_version:\r\n",
        "redis_version:unknown\r\n",
        "x_redis_version:7.0\r\n"
      })
  void aTextWithoutAVersionHasNone(String info) {
    assertThat(ServerVersion.in(info)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7rc1", "7-rc1", "99999999999.1", "7x.1"})
  void aStrangeVersionDoesNotThrow(String version) {
    String found = ServerVersion.in("redis_version:" + version + "\r\n");
    if (found != null) {
      ServerVersion.major(found);
    }
  }

  @Test
  void aRealServerReportsItsVersion() {
    try (RespClient redis = RedisServer.shared().client()) {
      String version = ServerVersion.in(String.valueOf(redis.call("INFO", "server")));
      assertThat(version).matches("\\d+\\.\\d+\\.\\d+.*");
      assertThat(ServerVersion.major(String.valueOf(version))).isGreaterThanOrEqualTo(6);
    }
  }
}
