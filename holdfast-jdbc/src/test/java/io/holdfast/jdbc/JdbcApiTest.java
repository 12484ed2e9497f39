package io.holdfast.jdbc;

import io.holdfast.testkit.RecordedApi;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users of this module may rely on changes only together with its record. */
class JdbcApiTest {
  @Test
  void isAsRecorded() {
    RecordedApi.of(JdbcBackendProvider.class, "io.holdfast.jdbc")
        .compareWith(Path.of("src/test/api/holdfast-jdbc.txt"));
  }
}
