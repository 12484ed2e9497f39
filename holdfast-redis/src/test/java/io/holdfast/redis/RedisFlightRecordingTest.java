package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A flight recording has the events of Lettuce, although the client has its own event bus. */
@Isolated
@Timeout(240)
class RedisFlightRecordingTest {
  private static final String CONNECTED = "io.lettuce.core.event.connection.JfrConnectedEvent";

  @TempDir Path folder;

  @Test
  void aRecordingHasBothConnections() throws Exception {
    Path file = folder.resolve("recording.jfr");
    try (RedisServer server = RedisServer.builder().start();
        Recording recording = new Recording()) {
      recording.enable(CONNECTED).withoutThreshold();
      recording.start();
      LockManager.create(patient(server.url())).close();
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file))
        .filteredOn(event -> event.getEventType().getName().equals(CONNECTED))
        .hasSize(2);
  }
}
