package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.spi.BackendException;
import io.holdfast.zookeeper.backend.ZooKeeperSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperUrlTest {
  @Test
  void everySettingButTheServerHasADefault() {
    ZooKeeperSettings settings = ZooKeeperUrl.parse("zookeeper://zk");
    assertThat(settings.servers()).isEqualTo("zk:2181");
    assertThat(settings.chroot()).isEmpty();
    assertThat(settings.sessionTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(settings.digest()).isNull();
    assertThat(settings.sasl()).isNull();
  }

  @Test
  void everySettingCanBeGiven() {
    ZooKeeperSettings settings =
        ZooKeeperUrl.parse(
            "zookeeper://me:p%40ss+%3A@zk1:1,zk2.example.com,[::1]:3/shop/locks"
                + "?sessionTimeout=10s&connectTimeout=1m&timeout=500ms");
    assertThat(settings.servers()).isEqualTo("zk1:1,zk2.example.com:2181,[::1]:3");
    assertThat(settings.chroot()).isEqualTo("/shop/locks");
    assertThat(settings.digest()).isEqualTo("me:p@ss+:");
    assertThat(settings.sessionTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.connectTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.toString()).doesNotContain("p@ss").doesNotContain("me:");
    assertThat(ZooKeeperUrl.parse("zookeeper://zk/?sasl=Client").sasl()).isEqualTo("Client");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zookeeper://",
        "zookeeper:///chroot",
        "zookeeper://zk:0",
        "zookeeper://zk:65536",
        "zookeeper://zk:abc",
        "zookeeper://zk,,zk",
        "zookeeper://zk one",
        "zookeeper://zk/a//b",
        "zookeeper://zk/a/",
        "zookeeper://zk/../x",
        "zookeeper://zk/zookeeper/x",
        "zookeeper://secret@zk",
        "zookeeper://:secret@zk",
        "zookeeper://secret:@zk",
        "zookeeper://a:secret:c@zk",
        "zookeeper://a:%zz@zk",
        "zookeeper://zk?sessionTimeout=10",
        "zookeeper://zk?sessionTimeout=0s",
        "zookeeper://zk?sessionTimeout=99999m",
        "zookeeper://zk?sesionTimeout=10s",
        "zookeeper://zk?timeout",
        "zookeeper://zk?sasl=",
        "zookeeper://a:secret@zk?sasl=Client"
      })
  void anInvalidUrlIsRefusedWithoutRepeatingSecrets(String url) {
    assertThatThrownBy(() -> ZooKeeperUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("URLs look like zookeeper://")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> LockManager.create(url)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anUnknownOptionIsRefusedWithTheListOfOptions() {
    assertThatThrownBy(() -> ZooKeeperUrl.parse("zookeeper://zk/x?timeout=1s&bogus=1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "no option 'bogus'", "sessionTimeout=30s", "connectTimeout=10s", "timeout=5s", "sasl=");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zookeeper://a:secret@1@zk",
        "zookeeper://a:secret:1@zk",
        "zookeeper://a:secret/1@zk",
        "zookeeper://a:secret?1@zk"
      })
  void aPasswordWithReservedSignsMustBeEncoded(String url) {
    assertThatThrownBy(() -> ZooKeeperUrl.parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("percent-encoded", "%40 for @")
        .hasMessageNotContaining("secret");
  }

  @Test
  void theMessageNamesAServerThatIsNotThere() {
    assertThatThrownBy(
            () -> LockManager.create("zookeeper://me:secret@127.0.0.1:1/x?connectTimeout=300ms"))
        .isInstanceOfAny(StoreException.class, BackendException.class)
        .hasMessageContaining("127.0.0.1:1/x")
        .hasMessageContaining("is it running")
        .hasMessageNotContaining("secret");
  }
}
