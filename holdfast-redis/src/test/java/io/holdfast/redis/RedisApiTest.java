package io.holdfast.redis;

import io.holdfast.testkit.RecordedApi;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users of this module may rely on changes only together with its record. */
class RedisApiTest {
  @Test
  void isAsRecorded() {
    RecordedApi.of(RedisBackendProvider.class, "io.holdfast.redis")
        .compareWith(Path.of("src/test/api/holdfast-redis.txt"));
  }
}
