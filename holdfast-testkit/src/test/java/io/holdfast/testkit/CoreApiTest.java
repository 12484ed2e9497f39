package io.holdfast.testkit;

import io.holdfast.LockManager;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * What users of core may rely on changes only together with its record. It stands here because core
 * cannot use the testkit.
 */
class CoreApiTest {
  @Test
  void isAsRecorded() {
    RecordedApi.of(
            LockManager.class,
            "io.holdfast",
            "io.holdfast.memory",
            "io.holdfast.metrics",
            "io.holdfast.spi",
            "io.holdfast.spi.state")
        .compareWith(Path.of("../holdfast-core/src/test/api/holdfast-core.txt"));
  }
}
