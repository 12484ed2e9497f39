package com.example.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockConfig;
import io.holdfast.LockException;
import io.holdfast.LockManager;
import io.holdfast.testkit.Mutations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file that somebody wrote into is a fault of that key, told at once, and of no other. */
@Timeout(60)
class HostileFilesTest {
  @TempDir private Path folder;

  @Test
  void aDamagedFileIsAFaultOrALockAndNeverHurtsAnother() throws IOException {
    List<String> valid = List.of("5\n1;lock;1;1;0;H,c,1-a,h,7,app,main,1,1,2,1\n", "7\n\n");
    try (LockManager manager =
        LockManager.builder("files:" + folder)
            .defaults(LockConfig.builder().storeTimeout(Duration.ofMillis(300)).build())
            .build()) {
      Path file = new StateFiles(folder).path("damaged");
      for (String text : Mutations.of(4720, valid).limit(200).toList()) {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        try {
          if (manager.getLock("damaged").tryLock()) {
            manager.getLock("damaged").unlock();
          }
        } catch (LockException e) {
          assertThat(e.getMessage()).isNotBlank();
        }
        assertThat(manager.getLock("beside").tryLock()).isTrue();
        manager.getLock("beside").unlock();
      }
      Files.writeString(file, "nonsense\nnonsense\n");
      assertThatThrownBy(() -> manager.getLock("damaged").tryLock())
          .isInstanceOf(LockException.class);
      Files.delete(file);
      assertThat(manager.getLock("damaged").tryLock()).isTrue();
      manager.getLock("damaged").unlock();
    }
  }
}
