package com.example.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockConfig;
import io.holdfast.LockException;
import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.spi.Resource;
import io.holdfast.testkit.FakeClock;
import io.holdfast.testkit.Mutations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file that somebody wrote into is a fault of that key, told at once, and of no other.
 *
 * <p>Each text has a key of its own and is there before the key is used. A process that failed to
 * lock a key goes on releasing it in the background, and such a step writes over what a test wrote
 * into the file meanwhile.
 */
@Timeout(600)
class HostileFilesTest {
  private static final String NONSENSE = "nonsense\nnonsense\n";

  @TempDir private Path folder;

  private Path file(String key) {
    return new StateFiles(folder).path(key);
  }

  private static void write(Path file, String text) {
    try {
      Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aDamagedFileIsAFaultOrALockAndNeverHurtsAnother() throws IOException {
    List<String> valid = List.of("5\n1;lock;1;1;0;H,c,1-a,h,7,app,main,1,1,2,1\n", "7\n\n");
    try (LockManager manager =
        LockManager.builder("files:" + folder)
            .defaults(LockConfig.builder().storeTimeout(Duration.ofMillis(300)).build())
            .build()) {
      int number = 0;
      for (String text : Mutations.of(4720, valid).limit(200).toList()) {
        String key = "damaged-" + number++;
        write(file(key), text);
        try {
          if (manager.getLock(key).tryLock()) {
            manager.getLock(key).unlock();
          }
        } catch (LockException e) {
          assertThat(e.getMessage()).isNotBlank();
        }
        assertThat(manager.getLock("beside").tryLock()).isTrue();
        manager.getLock("beside").unlock();
      }
      write(file("nonsense"), NONSENSE);
      assertThatThrownBy(() -> manager.getLock("nonsense").tryLock())
          .isInstanceOf(LockException.class);
      Files.delete(file("nonsense"));
      assertThat(manager.getLock("nonsense").tryLock()).isTrue();
      manager.getLock("nonsense").unlock();
    }
  }

  /** The clock stands still, so nothing is tried a second time. */
  @Test
  void nonsenseIsAFaultAtTheFirstTry() throws IOException {
    FakeClock clock = new FakeClock();
    write(file("first"), NONSENSE);
    write(file("second"), "7\nnonsense\n");
    try (LockManager manager = clock.drive(LockManager.builder("files:" + folder)).build()) {
      assertThatThrownBy(() -> manager.getLock("first").tryLock())
          .isExactlyInstanceOf(StoreException.class);
      assertThatThrownBy(() -> manager.getLock("second").tryLock())
          .isExactlyInstanceOf(StoreException.class);
      Files.delete(file("first")); // or closing waits until they can be released
      Files.delete(file("second"));
      clock.advance(Duration.ofMinutes(1));
    }
  }

  /** Why no text may be written into the file of a key that has been tried. */
  @Test
  void aFailedTryIsReleasedInTheBackgroundAndWritesTheFile() throws IOException {
    FakeClock clock = new FakeClock();
    write(file("k"), NONSENSE);
    try (LockManager manager = clock.drive(LockManager.builder("files:" + folder)).build()) {
      assertThatThrownBy(() -> manager.getLock("k").tryLock()).isInstanceOf(LockException.class);
      Files.delete(file("k"));
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                clock.advance(Duration.ofMillis(100));
                return Files.exists(file("k"));
              });
    }
  }

  /** The same, step by step: what is written without the lock of the file does not last. */
  @Test
  void aStepThatIsUnderWayWritesOverWhatWasWrittenWithoutTheLockOfTheFile() throws IOException {
    new StateFiles(folder)
        .change(
            Resource.lock("k"),
            state -> {
              write(file("k"), NONSENSE);
              return true;
            });
    assertThat(Files.readString(file("k"))).isEqualTo("0\n\n");
  }
}
