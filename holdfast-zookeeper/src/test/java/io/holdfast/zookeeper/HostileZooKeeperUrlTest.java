package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any URL is either parsed, or refused without repeating its password. */
class HostileZooKeeperUrlTest {
  @Test
  void aDamagedUrlIsParsedOrRefused() {
    List<String> valid =
        List.of(
            "zookeeper://h1:2181,h2,[::1]:99/shop/locks?sessionTimeout=20s&timeout=500ms",
            "zookeeper://user:Geheimnis@h/x",
            "zookeeper://h?sasl=Client&connectTimeout=1m");
    int[] read = new int[2];
    Mutations.of(4718, valid)
        .limit(50_000)
        .forEach(
            text -> {
              try {
                ZooKeeperUrl.parse(text);
                read[0]++;
              } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as(text).isNotBlank().doesNotContain("Geheim");
                read[1]++;
              }
            });
    assertThat(read[0]).as("read").isPositive();
    assertThat(read[1]).as("refused").isPositive();
  }
}
