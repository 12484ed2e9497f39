package io.holdfast.zookeeper;

import io.holdfast.testkit.RecordedApi;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What users of this module may rely on changes only together with its record. */
class ZooKeeperApiTest {
  @Test
  void isAsRecorded() {
    RecordedApi.of(ZooKeeperBackendProvider.class, "io.holdfast.zookeeper")
        .compareWith(Path.of("src/test/api/holdfast-zookeeper.txt"));
  }
}
