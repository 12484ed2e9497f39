package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any URL is either parsed, or rejected without repeating the password in it. */
class HostileRedisUrlTest {
  @Test
  void aDamagedUrlIsParsedOrRejected() {
    List<String> valid =
        List.of(
            "redis://user:Geheimnis@host:6379/3?timeout=500ms",
            "rediss://host:6380",
            "redis://127.0.0.1:6379?timeout=2s");
    int[] read = new int[2];
    Mutations.of(4719, valid)
        .limit(50_000)
        .forEach(
            text -> {
              try {
                assertThat(RedisUrl.parse(text).getPort()).isBetween(1, 65535);
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
